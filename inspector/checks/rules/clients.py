"""Rules for server requests: sampling and elicitation, as requests or inside a result."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, row_of_date, rules_of
from inspector.checks.state import CheckMoment
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Request
from inspector.text import cut

error, warning, hint = rules_of("client/elicitation")

_COMPLETED = "notifications/elicitation/complete"
_WARNING, _HINT = Severity.WARNING, Severity.HINT
_SAMPLING = ("request sampling/createMessage", "asking")
_ELICITATION = ("request elicitation/create", "asking")
_SECRET = re.compile(
    r"(?i)pass(word|wd|phrase)|secret|api[-_ ]?key|access[-_ ]?token|private[-_ ]?key|credit[-_ ]?card|\bcvv\b"
)
_LINK = re.compile(r"https?://\S|\]\(")
_LOCAL = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])([:/]|$)")
_TYPES = {"string", "number", "integer", "boolean"}
_FORMATS = {"email", "uri", "date", "date-time"}
_LISTS_SINCE = row_of_date("2025-11-25")
"""From this revision on, a form can have multiple choice."""

_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
}


class _Notes(msgspec.Struct):
    refused: dict[str, str] = {}
    """Requests refused with -32042, by the elicitations that they need; and which of them are completed."""


def _server_request_params(case: CheckMoment, method: str) -> Iterator[tuple[str, Any]]:
    """Yield the params of each server request of a kind in a message, with their pointers."""
    if isinstance(case.message, Request):
        if case.message.method == method:
            yield "/params", case.value
    elif case.is_modern and peek.text(case.value, "resultType") == "input_required":
        for key, request in peek.mapping(case.value, "inputRequests").items():
            if peek.text(request, "method") == method:
                yield f"/result/inputRequests/{key[:60]}/params", peek.at(request, "params")


def _sampling(case: CheckMoment) -> Iterator[tuple[str, Any]]:
    return _server_request_params(case, "sampling/createMessage")


def _elicitations(case: CheckMoment) -> Iterator[tuple[str, Any]]:
    return _server_request_params(case, "elicitation/create")


@error("Sampling tools without the client capability", *_SAMPLING, topic="client/sampling", since="2025-11-25")
def sampling_tools_unsupported(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Check the client capability `sampling.tools` first."""
    for place, params in _sampling(case):
        if (peek.has(params, "tools") or peek.has(params, "toolChoice")) and not case.state.offered(
            case.asked, "sampling", "tools"
        ):
            yield Violation("sampling with tools, but the client does not declare sampling.tools", f"{place}/tools")


@error("Tool uses and tool results do not match", *_SAMPLING, topic="client/sampling", since="2025-11-25")
def tool_result_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """A message with tool results has nothing else, and one for each preceding tool use.

    Fix: Answer each tool use with one tool result, in a message of its own.
    """
    for place, params in _sampling(case):
        open_: set[Any] = set()
        for at, message in enumerate(peek.items(params, "messages")):
            blocks = _blocks(message)
            results = {peek.text(each, "toolUseId") for each in blocks if peek.text(each, "type") == "tool_result"}
            here = f"{place}/messages/{at}/content"
            if results and len(blocks) > sum(peek.text(each, "type") == "tool_result" for each in blocks):
                yield Violation("tool results beside other content", here)
            if results != open_:
                yield Violation("tool results do not match the preceding tool uses", here)
            open_ = {peek.text(each, "id") for each in blocks if peek.text(each, "type") == "tool_use"}
        if open_:
            yield Violation("the last tool uses have no results", f"{place}/messages")


def _blocks(message: Any) -> list[Any]:
    content = peek.at(message, "content")
    return content if type(content) is list else [content]


@warning("`includeContext` without the client capability", *_SAMPLING, topic="client/sampling", since="2025-11-25")
def sampling_context_unsupported(case: CheckMoment) -> Iterator[Violation]:
    """`includeContext` other than none needs sampling.context.

    Fix: Check the client capability `sampling.context` first.
    """
    for place, params in _sampling(case):
        word = peek.text(params, "includeContext")
        if word in ("thisServer", "allServers") and not case.state.offered(case.asked, "sampling", "context"):
            yield Violation(
                f"includeContext is {word}, but the client does not declare sampling.context", f"{place}/includeContext"
            )


def _mode(params: Any) -> str:
    return peek.text(params, "mode") or "form"


@error("Elicitation mode without the client capability", *_ELICITATION, since="2025-11-25")
def elicitation_mode_unsupported(case: CheckMoment) -> Iterator[Violation]:
    """An empty `elicitation` capability means forms.

    Fix: Check the client capability `elicitation` for the mode.
    """
    offered = peek.at(case.state.client_capabilities(case.asked), "elicitation")
    for place, params in _elicitations(case):
        mode = _mode(params)
        if type(offered) is dict and mode not in offered and not (mode == "form" and "url" not in offered):
            yield Violation(f"elicitation in {cut(mode, 20)} mode, which the client does not declare", f"{place}/mode")


@error("`requestedSchema` is not flat", *_ELICITATION, since="2025-06-18")
def elicitation_schema_not_flat(case: CheckMoment) -> Iterator[Violation]:
    """An object of strings, numbers, booleans and enums.

    Fix: Use primitive fields only.
    """
    for place, params in _elicitations(case):
        if _mode(params) != "form":
            continue
        schema, at = peek.at(params, "requestedSchema"), f"{place}/requestedSchema"
        if type(schema) is not dict or schema.get("type") != "object" or type(schema.get("properties")) is not dict:
            sentence = 'requestedSchema is not of type "object" with properties'
            yield Violation(sentence if peek.has(params, "requestedSchema") else "requestedSchema is missing", at)
            continue
        for name, field in schema["properties"].items():
            if why := _wrong_field(field, case.row):
                yield Violation(f"{cut(name, 60)}: {why}", f"{at}/properties/{name[:60]}")
            elif why := _wrong_default(field):
                yield Violation(f"{cut(name, 60)}: {why}", f"{at}/properties/{name[:60]}/default", severity=_HINT)
        for name in peek.items(schema, "required"):
            if name not in schema["properties"]:
                yield Violation(
                    f"required has {cut(str(name), 60)!r}, which is not a field", f"{at}/required", severity=_HINT
                )


def _wrong_field(field: Any, row: int) -> str:
    if type(field) is not dict:
        return "is not a schema"
    kind = field.get("type")
    if kind == "array" and row >= _LISTS_SINCE:
        choices = peek.items(field, "items", "enum") or peek.items(field, "items", "anyOf")
        return "" if choices else "an array without enum values"
    if kind is None:
        return 'has no type; a choice needs "type": "string" beside oneOf or enum'
    if not isinstance(kind, str) or kind not in _TYPES:
        return f"a field cannot be of type {cut(str(kind), 40)}"
    if "format" in field and field["format"] not in _FORMATS:
        return f"a field cannot have the format {cut(str(field['format']), 40)}"
    return ""


def _wrong_default(field: dict[str, Any]) -> str:
    """Return the defect of a field's default; "" if there is none."""
    if "default" not in field:
        return ""
    default, kind = field["default"], str(field.get("type"))
    if not isinstance(default, _KINDS.get(kind, (object,))) or (isinstance(default, bool) and kind != "boolean"):
        return f"the default is not of type {kind}"
    choices = peek.items(field, "enum") or [peek.at(each, "const") for each in peek.items(field, "oneOf")]
    return "the default is not one of the enum values" if choices and default not in choices else ""


@error("Invalid URL of an elicitation", *_ELICITATION, since="2025-11-25")
def elicitation_url_invalid(case: CheckMoment) -> Iterator[Violation]:
    """URL mode needs a URL, and it should be https.

    Fix: Use an https URL.
    """
    for place, params in _elicitations(case):
        if _mode(params) == "url":
            url = peek.text(params, "url") or ""
            if not re.match(r"https?://[^/\s]", url):
                is_there = peek.has(params, "url")
                yield Violation(
                    f"{cut(url, 60)!r} is not a valid URL" if is_there else "url is missing", f"{place}/url"
                )
            elif not url.startswith("https://") and not _LOCAL.match(url):
                yield Violation(f"{cut(url, 60)!r} is not https", f"{place}/url", severity=_WARNING)


@error("`elicitationId` is missing or obsolete", *_ELICITATION, since="2025-11-25")
def elicitation_id_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Only one protocol version defines `elicitationId`.

    Fix: Send `elicitationId` in 2025-11-25 only, in URL mode.
    """
    for place, params in _elicitations(case):
        if _mode(params) == "url" and not case.is_modern and peek.text(params, "elicitationId") is None:
            yield Violation("an elicitation in URL mode without elicitationId", f"{place}/elicitationId")
        if case.is_modern and peek.has(params, "elicitationId"):
            yield Violation("this protocol version has no elicitationId", f"{place}/elicitationId", severity=_HINT)


@error("Form asks for a secret", *_ELICITATION, since="2025-06-18", confidence=Confidence.LIKELY)
def elicitation_asks_for_secret(case: CheckMoment) -> Iterator[Violation]:
    """“Servers MUST NOT use form mode elicitation to request sensitive information.”

    Fix: Ask for secrets on your own page, with URL mode.
    """
    for place, params in _elicitations(case):
        for name, field in peek.mapping(params, "requestedSchema", "properties").items():
            if _SECRET.search(name) or _SECRET.search(peek.text(field, "title") or ""):
                yield Violation(f"a form asks for {cut(name, 60)!r}", f"{place}/requestedSchema/properties/{name[:60]}")


@warning("Link in the message of a form", *_ELICITATION, since="2025-11-25")
def elicitation_link_in_text(case: CheckMoment) -> Iterator[Violation]:
    """Links belong in URL mode, where clients show them in full.

    Fix: Use URL mode for links.
    """
    for place, params in _elicitations(case):
        if _mode(params) == "form" and _LINK.search(peek.text(params, "message") or ""):
            yield Violation("the message of a form contains a link", f"{place}/message")


@error("-32042 error without an elicitation", "error", since="2025-11-25", until="2025-11-25")
def url_elicitation_missing(case: CheckMoment) -> Iterator[Violation]:
    """Error -32042 contains elicitations in URL mode.

    Fix: Add `elicitations` in URL mode to the data of the error.
    """
    if peek.integer(case.value, "code") == -32042:
        named = peek.items(case.value, "data", "elicitations")
        if not named or not all(peek.text(each, "url") and _mode(each) == "url" for each in named):
            yield Violation("error -32042 without elicitations in URL mode", "/error/data/elicitations")


@error("-32042 again after the visit", "error", f"notification {_COMPLETED}", since="2025-11-25", until="2025-11-25")
def url_elicitation_repeated(case: CheckMoment) -> Iterator[Violation]:
    """A request is refused with -32042 although the elicitation of its earlier refusal is completed.

    Fix: Keep what the visit gave, such as a token, for the user of the session, and look for it in the next request.
    """
    known = case.state.notes(_Notes).refused
    if case.method == _COMPLETED:
        known[known.get(peek.text(case.value, "elicitationId") or "", "")] = _COMPLETED
    elif peek.integer(case.value, "code") == -32042:
        what = f"{case.named} {peek.text(case.asked_params, 'name') or ''}".strip()
        if known.get(what) == _COMPLETED:
            yield Violation(f"{cut(what, 120)} is refused with -32042 again, although its elicitation was completed")
        for each in peek.items(case.value, "data", "elicitations"):
            known[peek.text(each, "elicitationId") or ""] = what


@hint(
    "Unknown `elicitationId` completed",
    "notification notifications/elicitation/complete",
    since="2025-11-25",
    until="2025-11-25",
)
def unknown_elicitation_completed(case: CheckMoment) -> Iterator[Violation]:
    """Clients ignore a notification about an unknown elicitation.

    Fix: Send the `elicitationId` of an earlier elicitation.
    """
    id_ = peek.text(case.value, "elicitationId")
    if id_ is None or id_ not in case.state.ongoing.elicitation_ids:
        sentence = f"notifications/elicitation/complete for the unknown elicitationId {cut(str(id_), 60)!r}"
        yield Violation(sentence, "/params/elicitationId")


@hint("`enumNames` is deprecated", *_ELICITATION, topic="schema", since="2025-11-25")
def enum_names_deprecated(case: CheckMoment) -> Iterator[Violation]:
    """`enumNames` still works.

    Fix: Use oneOf with titles.
    """
    for place, params in _elicitations(case):
        for name, field in peek.mapping(params, "requestedSchema", "properties").items():
            if peek.has(field, "enumNames"):
                yield Violation(f"{cut(name, 60)} has enumNames", f"{place}/requestedSchema/properties/{name[:60]}")
