"""Rules for server requests: sampling and elicitation, as requests or inside a result."""

import re
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check, row_of_date
from inspector.checks.state import CheckMoment
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Request

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
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


@check(
    "sampling-tools-unsupported",
    _ERROR,
    "Sampling tools without the client capability",
    *_SAMPLING,
    topic="client/sampling",
    since="2025-11-25",
    fix="Check the client capability `sampling.tools` first.",
)
def sampling_tools_unsupported(case: CheckMoment) -> Iterator[Flaw]:
    for place, params in _sampling(case):
        if (peek.has(params, "tools") or peek.has(params, "toolChoice")) and not case.state.offered(
            case.asked, "sampling", "tools"
        ):
            yield Flaw("sampling with tools, but the client does not declare sampling.tools", f"{place}/tools")


@check(
    "tool-result-mismatch",
    _ERROR,
    "Tool uses and tool results do not match",
    *_SAMPLING,
    topic="client/sampling",
    since="2025-11-25",
    fix="Answer each tool use with one tool result, in a message of its own.",
)
def tool_result_mismatch(case: CheckMoment) -> Iterator[Flaw]:
    """A message with tool results has nothing else, and one for each preceding tool use."""
    for place, params in _sampling(case):
        open_: set[Any] = set()
        for at, message in enumerate(peek.items(params, "messages")):
            blocks = _blocks(message)
            results = {peek.text(each, "toolUseId") for each in blocks if peek.text(each, "type") == "tool_result"}
            here = f"{place}/messages/{at}/content"
            if results and len(blocks) > sum(peek.text(each, "type") == "tool_result" for each in blocks):
                yield Flaw("tool results beside other content", here)
            if results != open_:
                yield Flaw("tool results do not match the preceding tool uses", here)
            open_ = {peek.text(each, "id") for each in blocks if peek.text(each, "type") == "tool_use"}
        if open_:
            yield Flaw("the last tool uses have no results", f"{place}/messages")


def _blocks(message: Any) -> list[Any]:
    content = peek.at(message, "content")
    return content if type(content) is list else [content]


@check(
    "sampling-context-unsupported",
    _WARNING,
    "`includeContext` without the client capability",
    *_SAMPLING,
    topic="client/sampling",
    since="2025-11-25",
    fix="Check the client capability `sampling.context` first.",
)
def sampling_context_unsupported(case: CheckMoment) -> Iterator[Flaw]:
    """`includeContext` other than none needs sampling.context."""
    for place, params in _sampling(case):
        word = peek.text(params, "includeContext")
        if word in ("thisServer", "allServers") and not case.state.offered(case.asked, "sampling", "context"):
            yield Flaw(
                f"includeContext is {word}, but the client does not declare sampling.context", f"{place}/includeContext"
            )


def _mode(params: Any) -> str:
    return peek.text(params, "mode") or "form"


@check(
    "elicitation-mode-unsupported",
    _ERROR,
    "Elicitation mode without the client capability",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-11-25",
    fix="Check the client capability `elicitation` for the mode.",
)
def elicitation_mode_unsupported(case: CheckMoment) -> Iterator[Flaw]:
    """An empty `elicitation` capability means forms."""
    offered = peek.at(case.state.client_capabilities(case.asked), "elicitation")
    for place, params in _elicitations(case):
        mode = _mode(params)
        if type(offered) is dict and mode not in offered and not (mode == "form" and "url" not in offered):
            yield Flaw(f"elicitation in {mode[:20]} mode, which the client does not declare", f"{place}/mode")


@check(
    "elicitation-schema-not-flat",
    _ERROR,
    "`requestedSchema` is not flat",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-06-18",
    fix="Use primitive fields only.",
)
def elicitation_schema_not_flat(case: CheckMoment) -> Iterator[Flaw]:
    """An object of strings, numbers, booleans and enums."""
    for place, params in _elicitations(case):
        if _mode(params) != "form":
            continue
        schema, at = peek.at(params, "requestedSchema"), f"{place}/requestedSchema"
        if type(schema) is not dict or schema.get("type") != "object" or type(schema.get("properties")) is not dict:
            yield Flaw('requestedSchema is not of type "object" with properties', at)
            continue
        for name, field in schema["properties"].items():
            if why := _wrong_field(field, case.row):
                yield Flaw(f"{name[:60]}: {why}", f"{at}/properties/{name[:60]}")
            elif why := _wrong_default(field):
                yield Flaw(f"{name[:60]}: {why}", f"{at}/properties/{name[:60]}/default", severity=_HINT)
        for name in peek.items(schema, "required"):
            if name not in schema["properties"]:
                yield Flaw(f"required has {str(name)[:60]!r}, which is not a field", f"{at}/required", severity=_HINT)


def _wrong_field(field: Any, row: int) -> str:
    if type(field) is not dict:
        return "is not a schema"
    kind = field.get("type")
    if kind == "array" and row >= _LISTS_SINCE:
        choices = peek.items(field, "items", "enum") or peek.items(field, "items", "anyOf")
        return "" if choices else "an array without enum values"
    if not isinstance(kind, str) or kind not in _TYPES:
        return f"a field cannot be of type {str(kind)[:40]}"
    if "format" in field and field["format"] not in _FORMATS:
        return f"a field cannot have the format {str(field['format'])[:40]}"
    return ""


_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
}


def _wrong_default(field: dict[str, Any]) -> str:
    """Return the defect of a field's default; "" if there is none."""
    if "default" not in field:
        return ""
    default, kind = field["default"], str(field.get("type"))
    if not isinstance(default, _KINDS.get(kind, (object,))) or (isinstance(default, bool) and kind != "boolean"):
        return f"the default is not of type {kind}"
    choices = peek.items(field, "enum") or [peek.at(each, "const") for each in peek.items(field, "oneOf")]
    return "the default is not one of the enum values" if choices and default not in choices else ""


@check(
    "elicitation-url-invalid",
    _ERROR,
    "Invalid URL of an elicitation",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-11-25",
    fix="Use an https URL.",
)
def elicitation_url_invalid(case: CheckMoment) -> Iterator[Flaw]:
    """URL mode needs a URL, and it should be https."""
    for place, params in _elicitations(case):
        if _mode(params) == "url":
            url = peek.text(params, "url") or ""
            if not re.match(r"https?://[^/\s]", url):
                yield Flaw(f"{url[:60]!r} is not a valid URL", f"{place}/url")
            elif not url.startswith("https://") and not _LOCAL.match(url):
                yield Flaw(f"{url[:60]!r} is not https", f"{place}/url", severity=_WARNING)


@check(
    "elicitation-id-invalid",
    _ERROR,
    "`elicitationId` is missing or obsolete",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-11-25",
    fix="Send `elicitationId` in 2025-11-25 only, in URL mode.",
)
def elicitation_id_invalid(case: CheckMoment) -> Iterator[Flaw]:
    """Only one protocol version defines `elicitationId`."""
    for place, params in _elicitations(case):
        if _mode(params) == "url" and not case.is_modern and peek.text(params, "elicitationId") is None:
            yield Flaw("an elicitation in URL mode without elicitationId", f"{place}/elicitationId")
        if case.is_modern and peek.has(params, "elicitationId"):
            yield Flaw("this protocol version has no elicitationId", f"{place}/elicitationId", severity=_HINT)


@check(
    "elicitation-asks-for-secret",
    _ERROR,
    "Form asks for a secret",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-06-18",
    confidence=Confidence.LIKELY,
    fix="Ask for secrets on your own page, with URL mode.",
)
def elicitation_asks_for_secret(case: CheckMoment) -> Iterator[Flaw]:
    """“Servers MUST NOT use form mode elicitation to request sensitive information.”"""
    for place, params in _elicitations(case):
        for name, field in peek.mapping(params, "requestedSchema", "properties").items():
            if _SECRET.search(name) or _SECRET.search(peek.text(field, "title") or ""):
                yield Flaw(f"a form asks for {name[:60]!r}", f"{place}/requestedSchema/properties/{name[:60]}")


@check(
    "elicitation-link-in-text",
    _WARNING,
    "Link in the message of a form",
    *_ELICITATION,
    topic="client/elicitation",
    since="2025-11-25",
    fix="Use URL mode for links.",
)
def elicitation_link_in_text(case: CheckMoment) -> Iterator[Flaw]:
    """Links belong in URL mode, where clients show them in full."""
    for place, params in _elicitations(case):
        if _mode(params) == "form" and _LINK.search(peek.text(params, "message") or ""):
            yield Flaw("the message of a form contains a link", f"{place}/message")


@check(
    "url-elicitation-missing",
    _ERROR,
    "-32042 error without an elicitation",
    "error",
    topic="client/elicitation",
    since="2025-11-25",
    until="2025-11-25",
    fix="Add `elicitations` in URL mode to the data of the error.",
)
def url_elicitation_missing(case: CheckMoment) -> Iterator[Flaw]:
    """Error -32042 contains elicitations in URL mode."""
    if peek.integer(case.value, "code") == -32042:
        named = peek.items(case.value, "data", "elicitations")
        if not named or not all(peek.text(each, "url") and _mode(each) == "url" for each in named):
            yield Flaw("error -32042 without elicitations in URL mode", "/error/data/elicitations")


@check(
    "unknown-elicitation-completed",
    _HINT,
    "Unknown `elicitationId` completed",
    "notification notifications/elicitation/complete",
    topic="client/elicitation",
    since="2025-11-25",
    until="2025-11-25",
    fix="Send the `elicitationId` of an earlier elicitation.",
)
def unknown_elicitation_completed(case: CheckMoment) -> Iterator[Flaw]:
    """Clients ignore a notification about an unknown elicitation."""
    id_ = peek.text(case.value, "elicitationId")
    if id_ is None or id_ not in case.state.ongoing.elicitation_ids:
        yield Flaw(
            (f"notifications/elicitation/complete for the unknown elicitationId {str(id_)[:60]!r}"),
            "/params/elicitationId",
        )


@check(
    "enum-names-deprecated",
    _HINT,
    "`enumNames` is deprecated",
    *_ELICITATION,
    topic="schema",
    since="2025-11-25",
    fix="Use oneOf with titles.",
)
def enum_names_deprecated(case: CheckMoment) -> Iterator[Flaw]:
    """`enumNames` still works."""
    for place, params in _elicitations(case):
        for name, field in peek.mapping(params, "requestedSchema", "properties").items():
            if peek.has(field, "enumNames"):
                yield Flaw(f"{name[:60]} has enumNames", f"{place}/requestedSchema/properties/{name[:60]}")
