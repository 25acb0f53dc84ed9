"""Rules for tool results: content, structured content and errors."""

import base64
import errno
import json
import re
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import QUOTES_CODE, reason_of, states_no_reason, words_in
from inspector.checks.registry import Violation, rules_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import CheckMoment
from inspector.checks.state_updates import FAILED, RICH, STRUCTURED
from inspector.checks.validators import NO_STRUCTURE, OWN_RESULT
from inspector.forms.validate import Problem, validate
from inspector.protocol import peek
from inspector.text import cut

error, warning, hint = rules_of("server/tools")

_WARNING = Severity.WARNING
_CALL = "answer tools/call"
_MOST_NAMED, _MOST_SAID = 5, 3
"""Missing members, and other differences from a schema, that one sentence names."""
_TEXT_LOOKED_AT = 1 << 20
_FIRST, _EVERY = 20, 25
"""The first results of each tool that are validated against its schema, and then one of so many."""
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"<!doctype html", "text/html"),
    (b"<html", "text/html"),
)
"""First bytes of file types; in lower case for text."""
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+*-]+/[\w!#$&^.+*-]+\s*(?:;.*)?")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\)|\n[ \t]+at \S+ \(.*:\d+:\d+\)")
_FAILED = re.compile(
    r"(?i)[^\w\n]{0,6}(?:[\w./-]{1,30} ){0,4}?\w{0,30}?(?:error|exception|traceback|failed|failure|fatal)\b(?!s|-)"
    r"(?: (?:\d{3}|occurred|calling|executing|fetching|while|to)\b[^\n:]{0,60})?\s{0,3}\]?\s{0,3}[:(!-]"
    r"(?!\s*0\b)(?<!new error\()(?<!new exception\()"
    r"|[^\w\n]{1,6}(?:error|failed|fatal)[^\w\n]{1,4}\w|(?:error|failed) to \w"
)
"""The start of a short text that reports a failure."""
_OPENLY = re.compile(r"(?i)\s*(error|exception|traceback|failed|failure)\b\s*[:(!]")
"""The start of a text of any length."""
_SHORT = 400
_STATUSES = (
    r"(?:bad request|unauthorized|forbidden|not found|too many requests|internal server error|bad gateway|"
    r"service unavailable|gateway timeout|client error|server error)"
)
_OF_ONE = r"(?:code|status|response|http|from|at|in|on|of|calling|executing|fetching|during|while|when|occurred|to)"
"""Words after "error" that show a failure instead of a topic such as "error pages"."""
_CAUSE = re.compile(
    rf"(?i)\W{{0,6}}(?:[\w./-]{{1,30}} ){{0,4}}?\w{{0,30}}(?:error(?=\W*(?:\d|$)|\s?[^\w\s]|\s+{_OF_ONE}\b)|"
    rf"(?:failed|returned|responded)\b).{{0,60}}\b[45]\d\d {_STATUSES}\b|"
    rf"\W{{0,6}}(?:{_STATUSES}|not authenticated|access denied|fetch failed)[.!]?\s*$|"
    r"\W{0,6}(?:[\w./-]{1,30}:? ){0,4}?(?:https?connectionpool\(host=|"
    r"(?:connect|getaddrinfo|read) (?:ECONNREFUSED|ENOTFOUND|ETIMEDOUT|ECONNRESET)\b)"
)
"""The start of a short text about a failed HTTP request."""
_UNTYPED = re.compile(
    r"'[\w-]+' codec can't (?:de|en)code .+|'\w+' object (?:has no attribute|is not \w+able).*|division by zero|"
    r"(?:list|string|tuple) index out of range|Expecting value: line \d+ column \d+ \(char \d+\)|"
    r"invalid literal for int\(\) with base \d+: .+|could not convert string to float: .+|"
    r"Object of type \w+ is not JSON serializable|name '\w+' is not defined|\[Errno -?\d+\] .+|"
    r"Cannot read propert(?:y|ies) of (?:undefined|null).*|[\w.$]+ is not a (?:function|constructor)|"
    r"Unexpected (?:token .{1,60} in JSON at position \d+|end of JSON input)|Event loop is closed|"
    r"(?:\w+\.)?\w+\(\) (?:got an unexpected keyword argument|missing \d+ required positional argument).+"
)
"""The message of an exception of Python or JavaScript, without its type."""
_REFUSAL = re.compile(
    r"(?i)not (?:authenticated|authorized|found)|unauthorized|forbidden|invalid|denied|expired|required"
)
_STATUS = re.compile(
    r"(?i)\s*(?:(?:axios)?error: )?(?:request failed with status code [45]\d\d\b|(?:client|server) error '[45]\d\d |"
    r"http(?:/\d(?:\.\d)?)?(?: error)?:? [45]\d\d\b|[45]\d\d (?:client error|server error|bad request|unauthorized|"
    r"forbidden|not found|too many requests|internal server error|bad gateway|service unavailable|gateway timeout)\b"
    r"(?! (?:is|are|was|means|mean|tells|says|responses?|status|errors?)\b))"
)
_DOOR = re.compile(
    r"(?i)<title[^<>]*>[^<]{0,60}?(sign[ -]?in|log[ -]?in|just a moment|access denied|unauthorized|forbidden|not found|"
    r"[45]\d\d|bad gateway|error)[^<]{0,60}</title>"
)
_MOST_OF_A_FAILURE = 4000
"""Characters; longer texts are documents about errors."""
_OF_AN_ERROR = {"name", "code", "message", "stack", "cause", "details", "errno", "syscall"}
"""Members of a serialized exception."""
_ERROR_CODE = re.compile(
    rf"{'|'.join(errno.errorcode.values())}|ENOTFOUND|EAI_[A-Z]+|(?:E|ERR)_[A-Z_]+|[A-Z_]+_(?:ERROR|FAILED|EXCEPTION)"
)
_UNREADY = re.compile(
    r"(?i)\W{0,3}(?:no [^.\n]{1,60}|[^.\n]{1,60} (?:is|are|was|were) not|not)(?: been)?(?: \w+ly)? "
    r"(?:loaded|initiali[sz]ed|configured|connected|indexed|selected|set up|available|logged in)\b"
)
_REFUSED = ("rejected", "invalid", "error", "failed")
_VERDICTS = ("valid", "isValid", "is_valid")
"""Members of a validator's result. Its error is about what it was asked to validate: the call succeeded."""
_OBJECT = re.compile(
    r"\[object (?!Promise)\w+\]|<(?!(?:async_)?(?:coroutine|generator) )(?:[\w.<>]{1,80} ){1,3}at 0x[0-9a-fA-F]{4,16}>"
    r"(?!: ?\w)|\b(?:[a-z]\w{0,40}\.){1,8}[A-Z][\w$]{0,60}@[0-9a-f]{5,8}(?![\w.-])"
)
"""What JavaScript, Python and Java print of an object that has no text of its own."""
_IS_CODE = re.compile(r"\w\(|=|\\n|'(?:code|expr\w*|script|command|source|statement)': ")
"""What arguments have that are evaluated."""
_IS_CALL = re.compile(r"\w\(")


def _is_final(case: CheckMoment) -> bool:
    """Whether it is the tool's final result: neither input_required nor a task handle."""
    return type(case.value) is dict and "content" in case.value and "task" not in case.value


def _tool(case: CheckMoment) -> Any:
    known = case.listed_as("tools", peek.text(case.asked_params, "name"))
    return known.item if known else None


def _has_structure(case: CheckMoment) -> bool:
    return (
        _is_final(case)
        and case.value.get("structuredContent") is not None
        and case.state.is_sampled("structured-content-without-text", _FIRST, 100)
    )


def _is_sampled(case: CheckMoment) -> bool:
    """Whether to examine this result: the first ones of each tool, and some of the others."""
    name = peek.text(case.asked_params, "name") or ""
    known = _is_final(case) and "structuredContent" in case.value
    return known and case.state.is_sampled(f"structured-content-invalid {name[:80]}", _FIRST, _EVERY)


def own_result_rejected(tool: str, text: str) -> Violation | None:
    """Return the violation of an error that says that the server rejects the result of its own tool; None for others.

    A library that validates results reports it as an error of the call, but the arguments are not the cause.
    """
    if not OWN_RESULT.search(text[:2000]):
        return None
    id_ = "structured-content-missing" if NO_STRUCTURE.search(text[:2000]) else "structured-content-invalid"
    fix = "Return structuredContent that matches outputSchema, or remove the schema."
    return Violation(f"{cut(tool, 80)}: the server rejects its own result: {cut(text, 240)}", fix=fix, id=id_)


@error("`structuredContent` is missing", _CALL, since="2025-06-18")
def structured_content_missing(case: CheckMoment) -> Iterator[Violation]:
    """“If an output schema is provided, servers MUST provide structured results that conform to this schema.”

    Fix: Return structuredContent that matches outputSchema, or remove the schema.
    """
    if not _is_final(case) or "structuredContent" in case.value:
        return
    tool = _tool(case)
    if type(peek.at(tool, "outputSchema")) is not dict:
        return
    if case.value.get("isError") is True:
        text = " ".join(peek.text(block, "text") or "" for block in peek.items(case.value, "content")[:3])
        if (found := own_result_rejected(str(tool["name"]), text)) is not None:
            yield found
    else:
        named = next((each for each in case.value if each.replace("_", "").lower() == "structuredcontent"), "")
        more = f": there it is called {named}" if named else ""
        sentence = f"{cut(tool['name'], 80)} has an outputSchema, but its result has no structuredContent{more}"
        yield Violation(sentence, "/result")


@error(
    "`structuredContent` does not match `outputSchema`",
    _CALL,
    since="2025-06-18",
    heavy=True,
    wanted=_is_sampled,
    needs=STRUCTURED,
)
def structured_content_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Validates against the latest listed outputSchema. An error that does not match is a hint: some clients reject it.

    Fix: Return structuredContent that matches outputSchema, or correct the schema.
    """
    tool = _tool(case)
    schema = peek.at(tool, "outputSchema")
    if type(schema) is not dict:
        return
    name = cut(str(tool["name"]), 80)
    problems = validate(schema, case.value["structuredContent"]).problems
    if not problems:
        return
    place, words = f"/result/structuredContent{problems[0].pointer}", _in_words(problems)
    if case.value.get("isError") is True:
        if not case.state.is_first("structured-content-of-error"):
            return  # the habit of a library, whatever the tool is
        yield Violation(
            f"{name}: structuredContent of an error does not match outputSchema ({words}): "
            f"{product_facts()['content-of-error']}",
            place,
            severity=Severity.HINT,
            fix="Leave structuredContent out of errors, or allow its members in outputSchema.",
        )
        return
    # format is an annotation, unless both sides agree
    mild = _WARNING if all(each.keyword == "format" for each in problems) else None
    yield Violation(f"{name}: {words}", place, severity=mild)


def _in_words(problems: Sequence[Problem]) -> str:
    """Return what is wrong in one sentence: the missing members together, and the first of all else."""
    missing = [each for each in problems if each.keyword == "required"]
    others = sorted((each for each in problems if each not in missing), key=lambda each: each.keyword == "format")
    stated = [f"{each.pointer or 'structuredContent'} {each.sentence}" for each in others]
    if len(missing) > 1:
        names = [each.pointer for each in missing[:_MOST_NAMED]]
        more = f" and {len(missing) - len(names):,} more" if len(missing) > len(names) else ""
        stated.insert(0, f"{', '.join(names)}{more} are required")
    elif missing:
        stated.insert(0, f"{missing[0].pointer} {missing[0].sentence}")
    shown = stated[:_MOST_SAID]
    return "; ".join(shown) + (f"; and {len(stated) - len(shown):,} more" if len(stated) > len(shown) else "")


@warning(
    "`structuredContent` without a text block",
    _CALL,
    since="2025-06-18",
    heavy=True,
    wanted=_has_structure,
    needs=STRUCTURED,
)
def structured_content_without_text(case: CheckMoment) -> Iterator[Violation]:
    """“A tool that returns structured content SHOULD also return the serialized JSON in a TextContent block.”

    Fix: Return the same JSON as a text block; older clients show only text.
    """
    if case.value.get("isError") is True:
        return  # its text is the reason of the failure
    wanted = case.value["structuredContent"]
    texts = [each for block in peek.items(case.value, "content") if (each := peek.text(block, "text")) is not None]
    if any(len(text) > _TEXT_LOOKED_AT or _contains_value(text, wanted) for text in texts):
        return
    only = next(iter(wanted.values())) if type(wanted) is dict and len(wanted) == 1 else None
    if type(only) is list and len(only) == len(texts) and all(map(_contains_value, texts, only)):
        return  # the Python SDK writes a block for each item
    if not texts and type(wanted) is dict and len(wanted) == 1 and next(iter(wanted.values())) in ([], {}, None, ""):
        return  # nothing was found, and nothing is said
    mild = Severity.HINT if any(map(str.strip, texts)) else None  # such as a summary, written for people
    yield Violation("no text block contains the JSON of structuredContent", "/result/content", severity=mild)


def _contains_value(text: str, wanted: Any) -> bool:
    """Whether a text is a value as JSON; for an object with one member, the member's value is accepted."""
    only = next(iter(wanted.values())) if type(wanted) is dict and len(wanted) == 1 else wanted
    if type(wanted) is dict and wanted.get("type") == "text" and wanted.get("text") == text:
        return True  # a text block that a tool of the Python SDK returns as its value
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return bool(text == only)
    return bool(found in (wanted, only) or text == only)


def _may_be_about_arguments(case: CheckMoment) -> bool:
    known = type(peek.at(_tool(case), "inputSchema")) is dict
    return (
        known
        and peek.integer(case.value, "code") == -32602
        and case.state.is_sampled("invalid-arguments-as-protocol-error", _FIRST, _EVERY)
    )


@warning(
    "Invalid arguments as a protocol error",
    "error tools/call",
    since="2025-11-25",
    confidence=Confidence.LIKELY,
    heavy=True,
    wanted=_may_be_about_arguments,
)
def invalid_arguments_as_protocol_error(case: CheckMoment) -> Iterator[Violation]:
    """Judged for listed tools only, if the arguments are invalid.

    Fix: Return "isError": true with a message, so that the model can correct the call.
    """
    tool = _tool(case)
    arguments = peek.mapping(case.asked_params, "arguments")
    if type(tool) is dict and validate(tool["inputSchema"], arguments).problems:
        yield Violation(f"{peek.text(tool, 'name')}: invalid arguments are answered with error -32602", "/error/code")


@hint("`mimeType` does not match the data", _CALL, "answer resources/read", confidence=Confidence.LIKELY, needs=RICH)
def content_mime_type_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """Decided by the first bytes.

    Fix: Set the mimeType of the data.
    """
    member, where = ("contents", "blob") if case.method == "resources/read" else ("content", "data")
    for at, block in enumerate(peek.items(case.value, member)):
        if type(block) is not dict or where not in block:
            continue
        data, message = peek.text(block, where), peek.text(block, "mimeType")
        if data and message and (found := _sniffed(data)) and found != message.split(";")[0].strip().lower():
            yield Violation(
                f"mimeType is {cut(message, 40)}, but the data look like {found}", f"/result/{member}/{at}/mimeType"
            )


@warning("Invalid `mimeType`", _CALL, "answer prompts/get", "answer resources/read", needs=RICH)
def mime_type_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Judged by its form alone (RFC 6838, section 4.2).

    Fix: Write a type and a subtype, such as text/plain.
    """
    blocks = [(f"/result/contents/{at}", each) for at, each in enumerate(peek.items(case.value, "contents"))]
    for at, each in enumerate(peek.items(case.value, "content")):
        blocks += [(f"/result/content/{at}", each), (f"/result/content/{at}/resource", peek.at(each, "resource"))]
    for at, each in enumerate(peek.items(case.value, "messages")):
        blocks.append((f"/result/messages/{at}/content", peek.at(each, "content")))
    for place, block in blocks:
        message = peek.text(block, "mimeType")
        if message is not None and not _MEDIA_TYPE.fullmatch(message.strip()):
            yield Violation(f"mimeType is {cut(message, 60)!r}, which has no type and subtype", f"{place}/mimeType")


def _sniffed(data: str) -> str:
    try:
        head = base64.b64decode(data[:24], validate=True)
    except (NotBase64, ValueError):
        return ""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic) or head.lower().startswith(magic)), "")


@error("Invalid annotation value", _CALL, topic="server/resources", needs=RICH)
def annotation_value_invalid(case: CheckMoment) -> Iterator[Violation]:
    """`lastModified` should be ISO 8601.

    Fix: Use the audiences user and assistant, a priority from 0 to 1, and ISO 8601 dates.
    """
    for at, block in enumerate(peek.items(case.value, "content")):
        if type(block) is not dict or "annotations" not in block:
            continue
        message = peek.text(block, "annotations", "lastModified")
        if message is not None and not _ISO.fullmatch(message):
            place = f"/result/content/{at}/annotations/lastModified"
            yield Violation(f"lastModified is {cut(message, 40)!r}, which is not ISO 8601", place, severity=_WARNING)


@warning("Embedded resource without the `resources` capability", _CALL, since="2025-06-18", needs=RICH)
def embedded_resource_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """“Servers that use embedded resources SHOULD implement the resources capability.”

    Fix: Declare the `resources` capability.
    """
    if case.state.opening is None or case.state.capable("resources") or not case.state.opening.capabilities:
        return
    for at, block in enumerate(peek.items(case.value, "content")):
        if peek.text(block, "type") == "resource":
            yield Violation("a result embeds a resource, but the server declares no resources", f"/result/content/{at}")


@hint("Result is empty", _CALL)
def empty_result(case: CheckMoment) -> Iterator[Violation]:
    """No content, or an error without a text.

    Fix: Return a text block with the outcome.
    """
    if not _is_final(case):
        return
    blocks = peek.items(case.value, "content")
    words = [text.strip() for block in blocks if (text := peek.text(block, "text") or "").strip()]
    if case.value.get("isError") is True and words and "structuredContent" not in case.value:
        is_probe = case.asked is not None and case.asked.probe
        if not is_probe and all(map(states_no_reason, words)):
            fix = "Return the message of the exception: the reason is lost."
            sentence = f"the call failed (isError), and its text states no reason: {cut(words[0], 120)}"
            yield Violation(sentence, "/result/content", severity=Severity.WARNING, fix=fix)
    elif case.value.get("isError") is True and not words:
        fix = "Return a text block that says what failed: a model sees nothing else."
        sentence = "the call failed (isError), and its content has no text that says why"
        yield Violation(sentence, "/result/content", severity=Severity.WARNING, fix=fix)
    elif not blocks and "structuredContent" not in case.value:
        yield Violation("the result has no content", "/result/content")


@warning("Tool failure as a protocol error", "error tools/call", confidence=Confidence.LIKELY, is_diagnosis=True)
def tool_failure_as_protocol_error(case: CheckMoment) -> Iterator[Violation]:
    """An internal error, with or without a stack trace.

    Fix: Catch the exception and return "isError": true: models do not see protocol errors.
    """
    message = peek.text(case.value, "message") or ""
    if peek.integer(case.value, "code") == -32603 or _TRACEBACK.search(message):
        before = case.state.requests.had_worked(case.asked) if case.asked is not None else ""
        status = case.http.response.status if case.http is not None and case.http.response is not None else 0
        how = f"a protocol error{f' and HTTP {status}, which ends the session of some clients' * (status >= 400)}"
        yield Violation(f"the tool failed with {how}: {cut(reason_of(case.value), 200)}{before}", "/error")


def failure_in(result: Any) -> tuple[str, str, bool]:
    """Return the part of a result that may report a failure, its description, and whether its shape shows it."""
    blocks = [each for each in peek.items(result, "content") if peek.text(each, "type") == "text"]
    text, structure = (
        (peek.text(blocks[0], "text") or "") if len(blocks) == 1 else "",
        peek.at(result, "structuredContent"),
    )
    if len(text) <= _MOST_OF_A_FAILURE and text.lstrip().startswith("{"):
        try:
            structure = json.loads(text)
        except (ValueError, RecursionError):
            structure = None
        if type(structure) is dict:
            message = _failure_of(structure)
            if message and structure.get("isError") is True and (inner := peek.items(structure, "content")):
                return peek.text(inner[0], "text") or message, "the text is a whole result with isError: true", True
            return message, "the text is JSON like that of an error", bool(message)
    if message := _failure_of(structure):
        return message, "structuredContent is like that of an error", True
    if found := _STATUS.match(text[:200]):
        return (found.group() if len(text) > 200 else text).strip(), "the text begins with an HTTP error status", True
    head = text[:2000].lstrip().lower()
    if head.startswith(("<!doctype html", "<html")) and (found := _DOOR.search(text[:4000])):
        title = re.sub(r"<[^<>]*>", "", found.group()).strip()
        return cut(title, 80), "the text is an HTML page titled", True
    short = len(text) <= _SHORT and text.count("\n") <= 3
    if short and _UNTYPED.fullmatch(text.strip()):
        return text.strip(), "the text is the message of an exception", True
    if short and _CAUSE.match(text):
        return text.strip(), "the text names a failed request", True
    begins = _FAILED.match(text[:120]) if short else _OPENLY.match(text[:40])
    return (text[:160].strip(), "the text begins like an error message", False) if begins else ("", "", False)


def is_refusal(text: str) -> bool:
    """Whether a text is the report, in JSON, of a tool that rejects its input, or says what it needs to work at all."""
    if _UNREADY.match(text[:200]):
        return True
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    if type(value) is not dict:
        return False
    return value.get("status") in _REFUSED or any(value.get(name) is False for name in (*_VERDICTS, "success", "ok"))


def _failure_of(value: Any) -> str:
    """Return the text of an API's error document; "" if it is not one."""
    if type(value) is not dict or any(type(value.get(name)) is bool for name in _VERDICTS):
        return ""
    error, status = value.get("error"), value.get("status", value.get("statusCode", value.get("code")))
    if isinstance(status, str) and status.isdecimal() and len(status) == 3:
        status = int(status)
    words = words_in(value)
    refused = type(status) is int and 400 <= status <= 599 and bool(words)
    graphql = type(value.get("errors")) is list and value["errors"] and "data" in value and value["data"] is None
    failed = (
        (any(value.get(name) is False for name in ("success", "ok", "status")) and bool(words or len(value) == 1))
        or (value.get("status") == "error" and bool(words))
        or (value.get("status") == "rejected" and bool(peek.items(value, "errors")))
    )
    failed = failed or value.get("isError") is True
    if value.keys() <= _OF_AN_ERROR and isinstance(status, str) and _ERROR_CODE.fullmatch(status):
        failed = failed or bool(peek.text(value, "message"))
    alone = value.get("detail") if len(value) == 1 else None
    if isinstance(alone, str) and len(alone) < _SHORT and _REFUSAL.search(alone):
        return alone
    if (error and type(error) in (str, dict) and not value.get("result")) or refused or graphql or failed:
        words = words or next((found for each in peek.items(value, "errors") if (found := words_in(each))), "")
        return f"{status} {words}" if refused and str(status) not in words else words or "an error"
    return ""


@hint("Possible failure without `isError`", _CALL, confidence=Confidence.GUESS, is_diagnosis=True)
def tool_failure_unmarked(case: CheckMoment) -> Iterator[Violation]:
    """The text or structuredContent looks like an error, but isError is not set.

    Fix: Add "isError": true if the call failed; otherwise ignore this.
    """
    if peek.at(case.value, "isError") is True:
        return
    message, evidence, sure = failure_in(case.value)
    if message:
        worse = (_WARNING, Confidence.LIKELY) if sure else (None, None)
        place = "/result/content/0/text" if peek.items(case.value, "content") else "/result/structuredContent"
        name = peek.text(case.asked_params, "name")
        sentence = f"the call{f' of {cut(name, 60)}' if name else ''} may have failed without isError"
        sentence += f": {evidence}, “{cut(message, 160)}”"
        yield Violation(sentence, place, severity=worse[0], confidence=worse[1])


@warning("Object was converted to text", _CALL, confidence=Confidence.LIKELY)
def object_as_text(case: CheckMoment) -> Iterator[Violation]:
    """A short text shows “[object Object]”, or the address of a Python or Java object, and the call evaluates no code.

    Fix: Return the members of the object, such as JSON.stringify(value) or model_dump_json().
    """
    for at, block in enumerate(peek.items(case.value, "content")):
        message = (peek.text(block, "text") or "")[:_SHORT].strip()
        found = _OBJECT.search(message) if len(message) < _SHORT and not QUOTES_CODE.search(message) else None
        is_named = found is not None and found[0][0] == "["
        if found and not (_IS_CALL.search(message) if is_named else _IS_CODE.search(str(case.asked_params))):
            name = cut(peek.text(case.asked_params, "name") or "a tool", 60)
            sentence = f"the result of {name} shows {cut(found[0], 80)}: an object was not serialized as JSON"
            if case.value.get("isError") is True:
                sentence = f"the error of {name} is {cut(found[0], 80)}: what was thrown is an object, not an Error"
            yield Violation(sentence, f"/result/content/{at}/text")
        elif message == "undefined" and not _IS_CODE.search(str(case.asked_params)):
            sentence = (
                f"the result of {(peek.text(case.asked_params, 'name') or 'a tool')[:60]} is the text “undefined”"
            )
            fix = "Return a value from the handler, and await what it calls."
            where = f"/result/content/{at}/text"
            yield Violation(f"{sentence}: its handler returned no value", where, severity=Severity.HINT, fix=fix)


@error("`tools/call` result is wrapped in another object", _CALL, needs=RICH)
def result_wrapped(case: CheckMoment) -> Iterator[Violation]:
    """The result has no content, but one of its members has.

    Fix: Return content as a member of result itself.
    """
    if type(case.value) is not dict or "content" in case.value or "task" in case.value:
        return
    for name, value in case.value.items():
        if type(value) is dict and type(value.get("content")) is list:
            sentence = f"the result has no content: it is wrapped in {cut(name, 60)!r}"
            yield Violation(sentence, f"/result/{name[:60]}")
            return


@hint("Unknown tool as a tool error", _CALL, confidence=Confidence.LIKELY, needs=FAILED)
def unknown_tool_as_tool_error(case: CheckMoment) -> Iterator[Violation]:
    """A call of a tool that is not in the complete list. Official SDKs respond like this, and models can correct it.

    Fix: Return error -32602 for an unknown tool.
    """
    name = peek.text(case.asked_params, "name")
    listed = "tools/list" in case.state.lists.complete
    if (
        name is not None
        and listed
        and name not in case.state.lists.known["tools"]
        and peek.at(case.value, "isError") is True
    ):
        yield Violation(f"{cut(name, 60)!r} is not listed, but calling it returns isError", "/result/isError")
