"""Content of a server request: its sender, the call that caused it, its age and all of its parameters.

Server text is shown as such; warnings about the request are our own text. This module reads requests and never
responds to them.
"""

import json
import re
from collections.abc import Iterable, Sequence
from os.path import abspath, expanduser
from pathlib import Path
from typing import Any, assert_never

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.messages import messages_at
from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.present.blocks import block_of
from inspector.present.logins import link_section, read_link
from inspector.present.spans import Fact, Line, Section, fact, fact_lines, paragraph, span
from inspector.protocol import peek, server_requests
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Message, Request, ResultResponse, encode
from inspector.protocol.server_requests import ErrorReply, Reply, RequestKind, Result, Root, ServerRequest

MOST_MESSAGES = 200
MOST_CHARACTERS = 20_000
"""Limit for one content block; the traffic has all of it."""
_MAX_DEPTH = 3
SECRET_IN_FORM = "servers must not request this in a form"
_SECRET = re.compile(
    r"\b(?:passw(?:or)?ds?|passcode|passphrase|secrets?|token|api ?keys?|credentials?|(?:private|access) ?keys?"
    r"|(?:credit ?)?card ?num(?:ber)?s?|credit ?cards?|cvv|cvc|pin|iban|ssn|social ?security|otp|one ?time ?code)\b",
    re.IGNORECASE,
)
"""Matches whole words only: "integer", "secretary" and "tokens" are no secrets."""
_WARNED_OF = re.compile(r"\b(?:do not|don['’]?t|never|without|no need)\b[^.;)\n]*", re.IGNORECASE)
"""Matches what a description tells the user not to enter ("do not enter your password")."""
_WORDS = re.compile(r"[_\-.\s]+|(?<=[a-z0-9])(?=[A-Z])")
MOST_MESSAGE = 20_000
_READ = 4000
"""Characters of a message that a row reads. Limited because a row is drawn repeatedly while its request is pending."""
_GIVEN_UP = (ExchangeState.CANCELLED, ExchangeState.LATE)
ROOTS_ARE_ADVICE = (
    "Directories that the server should work in. Roots are advisory:\n"
    "the server can still read everything its process can."
)
STOP_REASONS = ("endTurn", "stopSequence", "maxTokens", "toolUse")
BY_HAND = "written by hand"
"""Model name of a response that gives no other one."""
REJECTED = ErrorReply(server_requests.REJECTED, "the user rejected the request")
_MAX_JSON_CHARS = 20_000
ROOTS_SCHEMA: dict[str, Any] = json.loads(Path(__file__).with_name("roots.schema.json").read_text("utf-8"))
_RECORDED_QUESTIONS_GIVEN_UP = (ExchangeState.CANCELLED, ExchangeState.LOST)


class RecordedState(msgspec.Struct, frozen=True):
    """State of a server request at the newest entry."""

    is_open: bool
    """Whether there is no response yet and the request was not cancelled."""
    waits: bool = False
    """Whether a response can still arrive."""
    frame: int = 0
    """Entry with the response; 0 for none."""
    why: str = ""
    """Why the request was withdrawn; "" if unknown or if it was answered."""


def sampling_sections(params: Any) -> tuple[Section, ...]:
    """Return system prompt, messages and sampling parameters; sections without content are left out."""
    prompt = peek.text(params, "systemPrompt") or ""
    messages = peek.at(params, "messages")
    found = (
        Section("System prompt", lines=paragraph(prompt, "foreign", limit=MOST_CHARACTERS)),
        Section("Messages", lines=tuple(_messages(messages))),
        Section("Parameters", tuple(_sampling_parameters(params))),
        Section("Tools for the model", tuple(_tools(params))),
    )
    return tuple(section for section in found if section.facts or section.lines)


def last_text(params: Any) -> str:
    """Return the last text among the messages, not yet made safe to display; "" if there is none."""
    for message in reversed(peek.items(params, "messages")):
        for block in _blocks(peek.at(message, "content")):
            if found := peek.text(block, "text"):
                return found[:1000]
    return ""


def _messages(messages: Any) -> Iterable[Line]:
    if not isinstance(messages, list):
        yield (("`messages` is missing (required)", "warning"),)
        return
    for number, message in enumerate(messages[:MOST_MESSAGES], 1):
        role = peek.text(message, "role") or "no role"
        yield ((f"{number} ", "faint"), span(role, "strong", limit=60))
        for block in _blocks(peek.at(message, "content")):
            yield from _indented(_block(block, 0))
    if len(messages) > MOST_MESSAGES:
        yield ((f"and {len(messages) - MOST_MESSAGES} more; Traffic shows all", "muted"),)


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _indented(lines: Iterable[Line]) -> Iterable[Line]:
    return ((("  ", "text"), *line) for line in lines)


def _block(raw: Any, depth: int) -> Iterable[Line]:
    kind = peek.text(raw, "type")
    if kind == "tool_use":
        facts = [
            fact("name", peek.text(raw, "name") or "not specified"),
            fact("id", peek.text(raw, "id") or "not specified"),
        ]
        yield (("tool call", "accent"),)
        yield from fact_lines([*facts, fact("input", text.decode(encode(peek.at(raw, "input"))))])
    elif kind == "tool_result":
        failed = " (an error)" if peek.flag(raw, "isError") else ""
        yield ((f"tool result{failed}: ", "accent"), span(peek.text(raw, "toolUseId") or "no id", "muted"))
        for inner in _blocks(peek.at(raw, "content")) if depth < _MAX_DEPTH else ():
            yield from _indented(_block(inner, depth + 1))
    elif kind == "text" and peek.text(raw, "text") is not None:
        yield from paragraph(peek.text(raw, "text") or "", "foreign", limit=MOST_CHARACTERS)
    else:
        block = block_of(raw)
        yield block.title
        yield from fact_lines(block.facts)
        yield from paragraph(block.text, "foreign", limit=2000)


def _sampling_parameters(params: Any) -> Iterable[Fact]:
    """Yield the sampling parameters and model preferences of the server."""
    limit = peek.number(params, "maxTokens")
    missing = Fact("max tokens", "missing (required)", "warning")
    yield missing if limit is None else Fact("max tokens", f"{limit:,.10g}")
    hints = [peek.text(hint, "name") or "?" for hint in peek.items(params, "modelPreferences", "hints")]
    if hints:
        yield fact("models", ", then ".join(hints[:20]))
    for key, name in (("costPriority", "cost"), ("speedPriority", "speed"), ("intelligencePriority", "intelligence")):
        if (weight := peek.number(params, "modelPreferences", key)) is not None:
            yield Fact(f"{name} priority", f"{text.rounded(weight)} of 1")
    if (temperature := peek.number(params, "temperature")) is not None:
        yield Fact("temperature", f"{temperature:.4g}")
    if stops := peek.items(params, "stopSequences"):
        yield fact("stop sequences", ", ".join(text.decode(encode(stop)) for stop in stops[:50]))
    if context := peek.text(params, "includeContext"):
        yield fact("context", f"{context} (mcp-inspect adds no context)")
    if (choice := peek.at(params, "toolChoice")) is not None:
        yield fact("tool choice", peek.text(choice, "mode") or text.decode(encode(choice)))
    if (metadata := peek.at(params, "metadata")) is not None:
        yield fact("metadata", text.decode(encode(metadata)))


def _tools(params: Any) -> Iterable[Fact]:
    for tool in peek.items(params, "tools")[:100]:
        takes = ", ".join(peek.mapping(tool, "inputSchema", "properties")) or "no arguments"
        described = peek.text(tool, "description") or ""
        yield fact(peek.text(tool, "name") or "no name", f"({takes}) {described}")


def kind_word(server_request: ServerRequest) -> str:
    """Return the kind of a request, in one or two words."""
    if server_request.kind is RequestKind.ELICITATION:
        return "link" if server_request.mode == "url" else "form"
    return server_request.kind.value


def request_summary(server_request: ServerRequest) -> str:
    """Return the message of a request as one line that is safe to display."""
    if server_request.kind is RequestKind.ROOTS:
        return "which directories to work in"
    message = (
        last_text(server_request.params) if server_request.kind is RequestKind.SAMPLING else server_request.message
    )
    return text.visible(" ".join(message[:_READ].split()), limit=300) or "no text"


def cause_of(server_request: ServerRequest, journal: Journal) -> Exchange | None:
    """Return the client's call that caused the request; None if unknown."""
    exchanges = journal.conversation.exchanges
    number = server_request.cause
    return exchanges[number - 1] if number is not None and 0 < number <= len(exchanges) else None


def cause_summary(server_request: ServerRequest, journal: Journal) -> str:
    """Return the tool, prompt or resource whose call caused the request, as one safe line; "" if unknown."""
    exchange = cause_of(server_request, journal)
    return "" if exchange is None else text.visible(exchange.target or exchange.method, limit=120)


def asked_by(journal: Journal) -> str:
    """Return the name that the server gives itself, as one safe line."""
    opening = journal.conversation.opening
    return text.visible(peek.text(opening.server if opening else {}, "name") or "the server", limit=80)


def server_request_sections(
    server_request: ServerRequest, journal: Journal, *, patience_s: float | None = None
) -> tuple[Section, ...]:
    """Return all sections of a request. `patience_s` is the timeout of the call that caused it; None: no timeout."""
    return (Section("In call", tuple(_facts(server_request, journal, patience_s))), *_asked(server_request))


def _facts(server_request: ServerRequest, journal: Journal, patience_s: float | None) -> Iterable[Fact]:
    yield Fact("server", asked_by(journal), "strong")
    exchange = cause_of(server_request, journal)
    if exchange is None:
        yield Fact("request", "not associated with a call", "muted")
    else:
        yield fact("request", f"{exchange.method} {exchange.target}".rstrip())
        if exchange.state in _GIVEN_UP:
            yield Fact("call", "cancelled: the server may ignore the response", "warning")
        if patience_s is not None and exchange.is_open:
            waits = text.human_duration(round(patience_s * 1e9))
            yield Fact("timeout", f"{waits} after the start of the call")
    if server_request.visit:
        yield Fact("call", "rejected until the URL is opened (error -32042)")
    if server_request.elicitation:
        done = journal.conversation.visits.is_complete(server_request)
        yield Fact("server reports", "complete", "ok") if done else Fact("complete", "not yet", "muted")
    if server_request.key and not server_request.visit:
        yield fact("key", f"{server_request.key} (part of one input_required result)", "muted")


def _asked(server_request: ServerRequest) -> tuple[Section, ...]:
    match server_request.kind:
        case RequestKind.ELICITATION:
            message = Section("Asks", lines=_message(server_request), note="Server message")
            return (
                message,
                *(
                    [link_section(read_link(server_request.url))]
                    if server_request.mode == "url"
                    else _form(server_request)
                ),
            )
        case RequestKind.SAMPLING:
            return sampling_sections(server_request.params)
        case RequestKind.ROOTS:
            return (Section("Asks", lines=paragraph(ROOTS_ARE_ADVICE, "muted")),)


def _message(server_request: ServerRequest) -> tuple[tuple[tuple[str, Any], ...], ...]:
    return paragraph(server_request.message, "foreign", limit=MOST_MESSAGE) or ((("no message", "warning"),),)


def _form(server_request: ServerRequest) -> tuple[Section, ...]:
    facts = [Fact(name, SECRET_IN_FORM, "warning") for name in secret_fields(server_request.schema)]
    if beyond := beyond_a_form(server_request.schema):
        facts.append(Fact("beyond a form", beyond, "warning"))
    return (Section("Beware", tuple(facts)),) if facts else ()


def secret_fields(schema: Any) -> tuple[str, ...]:
    """Return the safe names of form properties whose name, title, description or format indicates a secret."""
    return tuple(
        text.visible(name, limit=80)
        for name, asked in peek.mapping(schema, "properties").items()
        if _secret(name, asked)
    )


def _secret(name: str, asked: Any) -> bool:
    if peek.text(asked, "format") == "password" or peek.flag(asked, "writeOnly"):
        return True
    about = _WARNED_OF.sub("", (peek.text(asked, "description") or "")[:2000])
    texts = (name, peek.text(asked, "title") or "", about)
    return any(_SECRET.search(_WORDS.sub(" ", each[:2000])) for each in texts)


def beyond_a_form(schema: Any) -> str:
    """Return what the specification does not allow in a form's schema, as one safe line; "" if nothing.

    "Form mode elicitation schemas are limited to flat objects with primitive properties only" (client/elicitation).
    """
    properties = peek.at(schema, "properties")
    if peek.text(schema, "type") != "object" or not isinstance(properties, dict):
        return "the schema is not an object with properties"
    wrong = [name for name, asked in properties.items() if not _is_primitive(asked)]
    return text.visible(f"no simple value: {', '.join(wrong)}", limit=200) if wrong else ""


def _is_primitive(asked: Any) -> bool:
    kind = peek.text(asked, "type")
    choices = peek.has(asked, "items", "enum") or peek.has(asked, "items", "anyOf")
    return kind in ("string", "number", "integer", "boolean") or (kind == "array" and choices)


# Responses as forms: what the user fills in, and what is then sent


def has_form(server_request: ServerRequest) -> bool:
    """Whether there is something to fill in: a URL request can only be accepted or declined."""
    return server_request.kind is not RequestKind.ELICITATION or server_request.mode != "url"


def answer_schema(server_request: ServerRequest) -> Any:
    """Return the schema of the form to fill in."""
    match server_request.kind:
        case RequestKind.ELICITATION:
            return server_request.schema if isinstance(server_request.schema, dict) else {"type": "object"}
        case RequestKind.SAMPLING:
            return _sampling_schema(server_request.params)
        case RequestKind.ROOTS:
            return ROOTS_SCHEMA
        case _:
            assert_never(server_request.kind)


def _sampling_schema(params: Any) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "text": {"type": "string", "title": "Answer", "contentMediaType": "text/markdown"},
        "model": {"type": "string", "title": "Model", "default": BY_HAND},
        "stopReason": {"title": "Stop reason", "enum": list(STOP_REASONS), "default": STOP_REASONS[0]},
    }
    names = [name for tool in peek.items(params, "tools") if (name := peek.text(tool, "name"))]
    if names:
        properties["toolUse"] = {
            "type": "object",
            "title": "Tool to call",
            "properties": {"name": {"enum": names}, "input": {"type": "object"}},
            "required": ["name"],
        }
    return {"type": "object", "properties": properties, "required": ["text", "model"]}


def reply_of(server_request: ServerRequest, filled: object) -> Reply:
    """Return the accepting response, made from the filled-in form."""
    match server_request.kind:
        case RequestKind.ELICITATION if not has_form(server_request):
            return server_requests.accepted()
        case RequestKind.ELICITATION:
            return Result({"action": "accept"} | ({} if filled is UNSET else {"content": filled}))
        case RequestKind.SAMPLING:
            return _sampled(filled)
        case RequestKind.ROOTS:
            return server_requests.rooted(roots_of(filled))
        case _:
            assert_never(server_request.kind)


def _sampled(filled: object) -> Reply:
    message = peek.text(filled, "text") or ""
    use = peek.mapping(filled, "toolUse")
    blocks: list[Any] = [server_requests.text_block(message)] if message or not use else []
    if use:
        blocks.append({"type": "tool_use", "id": "call_1", "name": use.get("name"), "input": use.get("input", {})})
    stop = peek.text(filled, "stopReason") or (STOP_REASONS[3] if use else STOP_REASONS[0])
    content = blocks[0] if len(blocks) == 1 else blocks
    return server_requests.sampled(content, model=peek.text(filled, "model") or BY_HAND, stop_reason=stop)


def declining_reply(server_request: ServerRequest, *, dismiss: bool = False) -> Reply:
    """Return the response that declines, or with `dismiss` cancels. For sampling and roots, both are an error."""
    if server_request.kind is RequestKind.ELICITATION:
        return server_requests.dismissed() if dismiss else server_requests.declined()
    return REJECTED


def filled_by(server_request: ServerRequest, reply: Reply | None) -> object:
    """Return the form value that an earlier response was made from; UNSET if it has none to reuse."""
    if not isinstance(reply, Result):
        return UNSET
    if server_request.kind is RequestKind.ELICITATION:
        return peek.mapping(reply.value, "content") if peek.has(reply.value, "content") else UNSET
    if server_request.kind is RequestKind.ROOTS:
        return {"roots": peek.items(reply.value, "roots")}
    message = peek.text(reply.value, "content", "text")
    filled = {
        "text": message,
        "model": peek.text(reply.value, "model"),
        "stopReason": peek.text(reply.value, "stopReason"),
    }
    return UNSET if message is None else {key: value for key, value in filled.items() if value is not None}


def listed(roots: Sequence[Root]) -> object:
    """Return roots as a form value."""
    return {"roots": [{"uri": root.uri} | ({"name": root.name} if root.name else {}) for root in roots]}


def roots_of(filled: object) -> tuple[Root, ...]:
    """Return the roots of a form value. A path becomes a file:// URI; an empty line is skipped."""
    rows = peek.items(filled, "roots")
    named = [(peek.text(row, "uri") or "", peek.text(row, "name") or "") for row in rows]
    return tuple(Root(root_uri(uri), name) for uri, name in named if uri)


def root_uri(typed: str) -> str:
    """Return the typed text if it is a URI, else the file:// URI of the path."""
    return typed if "://" in typed else Path(abspath(expanduser(typed))).as_uri()


def answer_section(reply: Reply | None, by: str, why: str) -> Section:
    """Return the outcome of a request: the response and its author, or why the request was withdrawn."""
    match reply:
        case None:
            return Section(
                "Withdrawn", lines=paragraph(why or "the response is no longer needed", "warning", limit=2000)
            )
        case ErrorReply():
            facts = (Fact("by", text.visible(by), "strong"), Fact("error", f"{reply.code}", "error"))
            return Section("Refused", facts, paragraph(reply.message, "text", limit=2000))
        case Result():
            lines = paragraph(json_text(reply.value), "foreign", limit=_MAX_JSON_CHARS)
            return Section("Answered", (Fact("by", text.visible(by), "strong"),), lines)
        case _:
            assert_never(reply)


def undelivered_section(why: str) -> Section:
    """Return why an answer did not reach the server."""
    return Section("Not sent", lines=paragraph(f"{why}. The server has no answer.", "error", limit=2000))


def answer_word(reply: Reply | None) -> str:
    """Return the outcome of a request in one word."""
    if reply is None:
        return "withdrawn"
    if isinstance(reply, ErrorReply):
        return "refused"
    return {"accept": "accepted", "decline": "declined", "cancel": "cancelled"}.get(
        peek.text(reply.value, "action") or "", "answered"
    )


# State of a server request in a recording: still pending, or its response and the entry that has it


def recorded_state(server_request: ServerRequest, journal: Journal, *, goes_on: bool) -> RecordedState:
    """Return the state of a request at the newest entry. `goes_on`: whether more entries can arrive."""
    exchange = _exchange(server_request, journal)
    if exchange is None:
        return RecordedState(is_open=True)
    if exchange.is_open or (exchange.asks and not exchange.retried):
        return RecordedState(is_open=True, waits=goes_on)
    if exchange.asks:
        return RecordedState(is_open=False, frame=_retry(exchange, journal))
    if exchange.state in _RECORDED_QUESTIONS_GIVEN_UP:
        return RecordedState(is_open=False, why=exchange.why or exchange.state.value)
    return RecordedState(is_open=False, frame=exchange.answer_frame or 0)


def recorded_state_word(server_request: ServerRequest, journal: Journal, standing: RecordedState) -> str:
    """Return the state in one or two words."""
    if standing.is_open:
        return "waiting" if standing.waits else "no response"
    reply = reply_to(server_request, journal, standing)
    return "answered" if reply is None and standing.frame else answer_word(reply)


def answered_section(server_request: ServerRequest, journal: Journal, standing: RecordedState) -> Section | None:
    """Return the response, or why there is none; None while the request is open or if the response can't be found."""
    reply = reply_to(server_request, journal, standing)
    if standing.is_open or (reply is None and standing.frame):
        return None
    return answer_section(reply, f"the client, in #{standing.frame:,}", standing.why)


def reply_to(server_request: ServerRequest, journal: Journal, standing: RecordedState) -> Reply | None:
    """Return the response; None if there is none or if it can't be found."""
    exchange = _exchange(server_request, journal)
    if exchange is None:
        return None
    replies = (_reply(server_request, exchange, each) for each in messages_at(journal, standing.frame))
    return next((each for each in replies if each is not None), None)


def _reply(server_request: ServerRequest, exchange: Exchange, message: Message) -> Reply | None:
    """Return the response to the request in this message; None if it has none."""
    if isinstance(message, Request):  # a retry has the responses by request key (stateless era)
        answers = peek.mapping(message.params, "inputResponses")
        return Result(answers[server_request.key]) if exchange.asks and server_request.key in answers else None
    if exchange.sender is Direction.TO_SERVER:  # rejected until the URL is opened: there is no response
        return None
    if isinstance(message, ResultResponse) and message.id == exchange.id:
        return Result(message.result)
    if isinstance(message, ErrorResponse) and message.id == exchange.id:
        code = peek.at(message.error, "code")
        return ErrorReply(code if isinstance(code, int) else 0, peek.text(message.error, "message") or "")
    return None


def _exchange(server_request: ServerRequest, journal: Journal) -> Exchange | None:
    exchanges = journal.conversation.exchanges
    return exchanges[server_request.exchange - 1] if 0 < server_request.exchange <= len(exchanges) else None


def _retry(asked: Exchange, journal: Journal) -> int:
    """Return the frame of the retry that has the responses; 0 if there is none."""
    conversation = journal.conversation
    own = conversation.operations.operation(asked.operation).exchanges if asked.operation else ()
    later = next((number for number in own if number > asked.number), 0)
    return conversation.exchanges[later - 1].request_frame if later else 0
