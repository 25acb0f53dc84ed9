"""Rules for resources, prompts and completions."""

import re
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.state import CheckMoment
from inspector.protocol import peek

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


@check("duplicate-resource-uri", _HINT, "two resources of one URI", "answer resources/list", topic="server/resources")
def uris_are_unique(case: CheckMoment) -> Iterator[Flaw]:
    """Within a page."""
    seen: set[str] = set()
    for at, item in enumerate(peek.items(case.value, "resources")):
        uri = peek.text(item, "uri")
        if uri is not None and uri in seen:
            yield Flaw(f"{uri[:80]!r} is listed twice", f"/result/resources/{at}/uri")
        seen.add(uri or "")


@check(
    "resource-contents-invalid",
    _ERROR,
    "contents of a resource lack their uri, text or blob",
    "answer resources/read",
    topic="schema",
)
def contents_are_text_or_blob(case: CheckMoment) -> Iterator[Flaw]:
    """Neither is a matter of the shape; both at once leave open which one counts."""
    for at, item in enumerate(peek.items(case.value, "contents")):
        if type(item) is dict and "text" in item and "blob" in item:
            yield Flaw("contents have both text and blob", f"/result/contents/{at}", severity=_WARNING)


@check(
    "resource-contents-empty",
    _WARNING,
    "a resource without contents",
    "answer resources/read",
    topic="server/resources",
    mild_until="2025-11-25",
    mild=_HINT,
    confidence=Confidence.LIKELY,
    fix="If there is no such resource, say so by an error.",
)
def contents_are_not_empty(case: CheckMoment) -> Iterator[Flaw]:
    """“Servers MUST NOT return an empty contents array” for one that does not exist (since 2026-07)."""
    if peek.at(case.value, "contents") == []:
        yield Flaw("a resource was read, and contents is empty", "/result/contents")


@check(
    "unsubscribed-resource-update",
    _HINT,
    "an update of a resource that nobody subscribed to",
    "notification notifications/resources/updated",
    topic="server/resources",
    until="2025-11-25",
    confidence=Confidence.LIKELY,
)
def was_subscribed(case: CheckMoment) -> Iterator[Flaw]:
    """Parts of a resource that is subscribed to may be named."""
    uri = peek.text(case.value, "uri")
    if uri is not None and not any(uri.startswith(watched) for watched in case.state.ongoing.subscribed):
        yield Flaw(f"{uri[:80]!r} was updated, and nobody subscribed to it", "/params/uri")


@check(
    "prompt-resource-without-type",
    _WARNING,
    "a resource in a prompt without its type",
    "answer prompts/get",
    topic="server/prompts",
)
def prompts_name_types(case: CheckMoment) -> Iterator[Flaw]:
    """“A MIME type” is part of an embedded resource in prose; the schema leaves it open."""
    for at, message in enumerate(peek.items(case.value, "messages")):
        resource = peek.mapping(message, "content", "resource")
        if resource and "mimeType" not in resource:
            yield Flaw("an embedded resource without mimeType", f"/result/messages/{at}/content/resource")


@check(
    "completion-invalid",
    _ERROR,
    "a completion with values that can't be",
    "answer completion/complete",
    topic="server/utilities/completion",
)
def completion_adds_up(case: CheckMoment) -> Iterator[Flaw]:
    """100 values at most; the total is not less than what came."""
    values, total = peek.items(case.value, "completion", "values"), peek.integer(case.value, "completion", "total")
    if len(values) > 100:
        yield Flaw(f"{len(values)} values; 100 is the most", "/result/completion/values")
    if total is not None and total < len(values):
        yield Flaw(f"{len(values)} values of a total of {total}", "/result/completion/total", severity=_HINT)
    if total is not None and total > len(values) and peek.flag(case.value, "completion", "hasMore") is False:
        yield Flaw("there are more in total, and hasMore is false", "/result/completion/hasMore", severity=_HINT)


_GONE = re.compile(r"(?i)not found|no such|does not exist|unknown resource|ENOENT|doesn't exist")


@check(
    "resource-not-found-code",
    _ERROR,
    "a resource that is not there is told by another code",
    "error resources/read",
    topic="server/resources",
    mild_until="2025-11-25",
    confidence=Confidence.LIKELY,
)
def absence_has_its_code(case: CheckMoment) -> Iterator[Flaw]:
    """-32002, and since 2026 -32602; by the words of the error, since only they tell what it is about."""
    wanted = -32002 if not case.is_modern else -32602
    code, said = peek.integer(case.value, "code"), peek.text(case.value, "message") or ""
    if case.row and code not in (None, wanted, -32601) and _GONE.search(said[:500]):
        if not (case.is_modern and code == -32002):  # that one is told as a code of an earlier revision
            yield Flaw(f"“{said[:80]}” came with {code}, not {wanted}", "/error/code", fix=f"Answer {wanted}.")


@check(
    "resource-differs-from-list",
    _HINT,
    "a resource that is another than was listed",
    "answer resources/read",
    topic="server/resources",
)
def contents_are_as_listed(case: CheckMoment) -> Iterator[Flaw]:
    """Its size and its type; judged where the whole of one resource was read."""
    uri = peek.text(case.asked.params if case.asked is not None else None, "uri") or ""
    known, contents = case.state.lists.known["resources"].get(uri), peek.items(case.value, "contents")
    if known is None or len(contents) != 1 or peek.text(contents[0], "uri") != uri:
        return
    listed, read = peek.text(known.item, "mimeType"), peek.text(contents[0], "mimeType")
    if listed and read and _bare(listed) != _bare(read):
        said = f"{uri[:60]!r} was listed as {listed[:40]} and is {read[:40]}"
        yield Flaw(said, "/result/contents/0/mimeType", frames=(known.frame,))
    size, now = peek.integer(known.item, "size"), _size_of(contents[0])
    if size is not None and now is not None and size != now:
        said = f"{uri[:60]!r} was listed with {size:,} bytes and has {now:,}"
        yield Flaw(said, "/result/contents/0", frames=(known.frame,))


def _bare(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _size_of(content: Any) -> int | None:
    """The bytes of a text as UTF-8, or of a blob; None if it has neither."""
    if (text := peek.text(content, "text")) is not None:
        return len(text.encode("utf-8", "surrogatepass"))
    blob = peek.text(content, "blob")
    return None if blob is None or len(blob) % 4 else len(blob) // 4 * 3 - (len(blob) - len(blob.rstrip("=")))
