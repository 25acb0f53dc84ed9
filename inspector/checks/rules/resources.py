"""Rules for resources, prompts and completions."""

import re
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import elided, reason_of
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import CheckMoment
from inspector.checks.state_updates import is_result_of_a_tool
from inspector.protocol import peek
from inspector.protocol.uri_templates import take_apart
from inspector.text import cut

error, warning, hint = rules_of("server/resources")

_OF_SDK = "Invalid arguments for prompt"
_WARNING, _HINT, _LIKELY = Severity.WARNING, Severity.HINT, Confidence.LIKELY
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_NO_LITERAL = re.compile(r'[\s"<>\\^`|]')
_OF_A_PROGRAM = re.compile(
    r"object has no attribute|is not a function|of (?:undefined|null)\b|NoneType|NullPointer|nil pointer"
    r"|\b(?:Type|Attribute|Key|Name|Index|Reference)Error\b|not (?:iterable|subscriptable|callable)"
)
"""Words of exceptions that a program did not catch."""

_DENIED = re.compile(r"(?i)\b(?:unknown|no such) resource\b|\bresource\b.{0,120}\b(?:not found|does not exist)")
_UNREACHED = re.compile(
    r"(?i)fetch failed|transport error|\bE(?:CONNREFUSED|NOTFOUND|AI_AGAIN|TIMEDOUT)\b|getaddrinfo|timed out"
    r"|connect(?:ion)? (?:error|attempts? failed|refused)|name resolution|name or service not known|no such host"
)
"""Words about a service that the server could not reach."""
_MISSING = re.compile(r"(?i)\b(?:missing|required|must be provided|not provided)\b")
_NO_TEXT = re.compile(r"(?i)expected (number|integer|boolean|array|object),? (?:but )?received (string|undefined|null)")
_WORD = re.compile(r"[\w-]+")
_GONE = re.compile(r"(?i)not found|no such|does not exist|unknown resource|ENOENT|doesn't exist")


@hint("Duplicate resource URI", "answer resources/list")
def duplicate_resource_uri(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Remove the duplicate, or give it another URI."""
    seen: set[str] = set()
    for at, item in enumerate(peek.items(case.value, "resources")):
        uri = peek.text(item, "uri")
        if uri is not None and uri in seen:
            yield Violation(f"{cut(uri, 80)!r} is listed twice", f"/result/resources/{at}/uri")
        seen.add(uri or "")


@warning("Invalid URI template", "answer resources/templates/list", topic="server/resources")
def uri_template_invalid(case: CheckMoment) -> Iterator[Violation]:
    """RFC 6570, section 2.1: literals have no blanks. The shape of the list names braces without a counterpart.

    Fix: Percent-encode what a URI cannot have (%20 for a blank), also where the server compares URIs with it.
    """
    for at, item in enumerate(peek.items(case.value, "resourceTemplates")):
        template = peek.text(item, "uriTemplate") or ""
        if take_apart(template).problem:
            continue
        rest = _EXPRESSION.sub("", template)
        if found := _NO_LITERAL.search(rest):
            what = "a blank" if found[0].isspace() else repr(found[0])
            sentence = (
                f"the template {cut(template, 100)!r} has {what}, which no URI has: no URI that is sent can match it"
            )
            yield Violation(sentence, f"/result/resourceTemplates/{at}/uriTemplate")


@error("Resource contents lack `uri`, `text` or `blob`", "answer resources/read", topic="schema")
def resource_contents_invalid(case: CheckMoment) -> Iterator[Violation]:
    """The shape covers the absence of both; having both is ambiguous.

    Fix: Add `uri`, and either `text` or `blob`.
    """
    for at, item in enumerate(peek.items(case.value, "contents")):
        if type(item) is dict and None not in (item.get("text"), item.get("blob")):
            yield Violation("contents have both text and blob", f"/result/contents/{at}", severity=_WARNING)


@hint("Listed resource cannot be read", "error resources/read")
def listed_resource_unreadable(case: CheckMoment) -> Iterator[Violation]:
    """The list names the resource; a warning if a program failed, or the error says that there is no such resource.

    Fix: Return the contents of each listed resource, or leave it out of the list.
    """
    uri = peek.text(case.asked_params, "uri")
    if uri is None or not case.listed_as("resources", uri) or uri.startswith("ui:"):
        return
    reason = reason_of(case.value)
    mild = _WARNING if _OF_A_PROGRAM.search(reason) or _DENIED.search(reason[:300]) else None
    fix = "Check the service that it is read from, and the server's network." if _UNREACHED.search(reason) else ""
    yield Violation(
        f"{cut(uri, 80)} is listed, but cannot be read: {cut(reason, 160)}", "/error", severity=mild, fix=fix
    )


@warning("Resource has no contents", "answer resources/read", mild_until="2025-11-25", mild=_HINT, confidence=_LIKELY)
def resource_contents_empty(case: CheckMoment) -> Iterator[Violation]:
    """“Servers MUST NOT return an empty contents array” for a resource that does not exist (since 2026-07).

    Fix: Return an error if the resource does not exist.
    """
    if peek.at(case.value, "contents") == []:
        yield Violation("resources/read returned empty contents", "/result/contents")


@hint(
    "Resource update without a subscription",
    "notification notifications/resources/updated",
    until="2025-11-25",
    confidence=_LIKELY,
)
def unsubscribed_resource_update(case: CheckMoment) -> Iterator[Violation]:
    """The updated resource may be a part of a subscribed one.

    Fix: Send updates for subscribed resources only.
    """
    uri = peek.text(case.value, "uri")
    if uri is not None and not any(uri.startswith(watched) for watched in case.state.ongoing.subscribed):
        yield Violation(f"update of {cut(uri, 80)!r} without a subscription", "/params/uri")


@warning("Embedded resource without `mimeType`", "answer prompts/get", topic="server/prompts")
def prompt_resource_without_type(case: CheckMoment) -> Iterator[Violation]:
    """The prose requires a MIME type; the schema makes it optional.

    Fix: Add `mimeType`.
    """
    for at, message in enumerate(peek.items(case.value, "messages")):
        resource = peek.mapping(message, "content", "resource")
        if resource and "mimeType" not in resource:
            yield Violation("an embedded resource without mimeType", f"/result/messages/{at}/content/resource")


@warning("Prompt argument is not marked as required", "error prompts/get", topic="server/prompts", confidence=_LIKELY)
def prompt_argument_unmarked(case: CheckMoment) -> Iterator[Violation]:
    """Clients demand only the arguments that are marked; the error calls another one missing.

    Fix: Set `required` to true for this argument in prompts/list, or do without it.
    """
    prompt, reason = peek.text(case.asked_params, "name") or "", reason_of(case.value)
    listed = case.listed_as("prompts", prompt)
    if listed is None or not _MISSING.search(reason):
        return
    given, arguments = peek.mapping(case.asked_params, "arguments") or {}, peek.items(listed.item, "arguments")
    absent = [(name, each) for each in arguments if (name := peek.text(each, "name")) and name not in given]
    if any(peek.flag(each, "required") is True for _, each in absent):
        return
    for argument in (name for name, _ in absent if name in _WORD.findall(reason)):
        words = (
            f"{cut(prompt, 80)} demands {cut(argument, 80)!r}, which its definition does not mark: {cut(reason, 160)}"
        )
        yield Violation(words, "/error")
        return


@error("Arguments of a prompt are refused", "error prompts/get", topic="server/prompts", confidence=_LIKELY)
def prompt_arguments_refused(case: CheckMoment) -> Iterator[Violation]:
    """Arguments of prompts are texts, and the member may be absent: a schema that wants something else refuses all.

    Fix: Describe each argument as a text, convert it in the handler, and take missing arguments for {}.
    """
    prompt, reason = cut(peek.text(case.asked_params, "name") or "", 80), reason_of(case.value)
    if (found := _NO_TEXT.search(reason)) and found[2] == "string":
        yield Violation(
            f"{prompt} wants a {found[1]}, but arguments of prompts are texts: {cut(reason, 160)}", "/error"
        )
    elif found and found[1] == "object" and not peek.has(case.asked_params, "arguments"):
        sentence = f"{prompt} cannot be got without the member arguments, which is optional: {cut(reason, 160)}"
        fix = "Update @modelcontextprotocol/sdk: 1.32.0 takes it (tried 2026-12-01)." if _OF_SDK in reason else ""
        yield Violation(sentence, "/error", severity=_WARNING, fix=fix)  # clients that always send it get the prompt


@error("Invalid completion values", "answer completion/complete", topic="server/utilities/completion")
def completion_invalid(case: CheckMoment) -> Iterator[Violation]:
    """A completion has at most 100 values; the total is not less than their number.

    Fix: Return at most 100 values, and a `total` and `hasMore` that fit.
    """
    values, total = peek.items(case.value, "completion", "values"), peek.integer(case.value, "completion", "total")
    if len(values) > 100:
        yield Violation(f"{len(values)} values; at most 100 are allowed", "/result/completion/values")
    if total is not None and total < len(values):
        yield Violation(f"{len(values)} values, but a total of {total}", "/result/completion/total", severity=_HINT)
    if total is not None and total > len(values) and peek.flag(case.value, "completion", "hasMore") is False:
        yield Violation("the total is larger, but hasMore is false", "/result/completion/hasMore", severity=_HINT)


@error(
    "Missing resource has the wrong error code",
    "error resources/read",
    "answer resources/read",
    mild_until="2025-11-25",
    confidence=_LIKELY,
)
def resource_not_found_code(case: CheckMoment) -> Iterator[Violation]:
    """The code is -32002, and since 2026 -32602; the case is recognised by the error message.

    Fix: Return the code of the protocol version for a missing resource.
    """
    wanted = -32002 if not case.is_modern else -32602
    code, message = peek.integer(case.value, "code"), peek.text(case.value, "message") or ""
    uri = peek.text(case.asked_params, "uri") or ""
    if is_result_of_a_tool(case.value):
        sentence = (
            f"{cut(uri, 60)!r} was read with a result that has isError, as that of a tool, instead of error {wanted}"
        )
        yield Violation(sentence, "/result", fix=f"Return error {wanted}.")
        return
    if case.listed_as("resources", uri):
        return  # `listed-resource-unreadable` reports it: the code is the smaller part
    if case.row and code not in (None, wanted, -32601) and _GONE.search(message[:500]):
        if not (case.is_modern and code == -32002):  # `obsolete-error-code` reports that one
            sentence = f"“{elided(message, 80)}” has the code {code} instead of {wanted}"
            yield Violation(sentence, "/error/code", fix=f"Return {wanted}.")


@hint("Resource differs from its list entry", "answer resources/read")
def resource_differs_from_list(case: CheckMoment) -> Iterator[Violation]:
    """Compares size and type; judged if one resource was read completely.

    Fix: Update the list entry, or the contents.
    """
    uri = peek.text(case.asked_params, "uri") or ""
    known, contents = case.listed_as("resources", uri), peek.items(case.value, "contents")
    if known is None or len(contents) != 1 or peek.text(contents[0], "uri") != uri:
        return
    listed, read = peek.text(known.item, "mimeType"), peek.text(contents[0], "mimeType")
    if listed and read and _bare(listed) != _bare(read):
        sentence = f"{cut(uri, 60)!r} was listed as {cut(listed, 40)}, but is {cut(read, 40)}"
        yield Violation(sentence, "/result/contents/0/mimeType", frames=(known.frame,))
    size, now = peek.integer(known.item, "size"), _size_of(contents[0])
    if size is not None and now is not None and size != now:
        sentence = f"{cut(uri, 60)!r} was listed with {size:,} bytes, but has {now:,}"
        yield Violation(sentence, "/result/contents/0", frames=(known.frame,))


def _bare(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _size_of(content: Any) -> int | None:
    """Return the size of a text as UTF-8, or of a blob; None if it has neither."""
    if (text := peek.text(content, "text")) is not None:
        return len(text.encode("utf-8", "surrogatepass"))
    blob = peek.text(content, "blob")
    return None if blob is None or len(blob) % 4 else len(blob) // 4 * 3 - (len(blob) - len(blob.rstrip("=")))
