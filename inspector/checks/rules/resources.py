"""Resources, prompts and completions."""

from collections.abc import Iterator

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case
from inspector.protocol import peek

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


@check("R03", _HINT, "two resources of one URI", "answer resources/list", topic="server/resources")
def uris_are_unique(case: Case) -> Iterator[Flaw]:
    """Within a page."""
    seen: set[str] = set()
    for at, item in enumerate(peek.items(case.value, "resources")):
        uri = peek.text(item, "uri")
        if uri is not None and uri in seen:
            yield Flaw(f"{uri[:80]!r} is listed twice", f"/result/resources/{at}/uri")
        seen.add(uri or "")


@check("R04", _ERROR, "contents of a resource lack their uri, text or blob", "answer resources/read", topic="schema")
def contents_are_text_or_blob(case: Case) -> Iterator[Flaw]:
    """Neither is a matter of the shape; both at once leave open which one counts."""
    for at, item in enumerate(peek.items(case.value, "contents")):
        if type(item) is dict and "text" in item and "blob" in item:
            yield Flaw("contents have both text and blob", f"/result/contents/{at}", severity=_WARNING)


@check(
    "R05",
    _WARNING,
    "a resource without contents",
    "answer resources/read",
    topic="server/resources",
    mild_until=4,
    mild=_HINT,
    confidence=Confidence.LIKELY,
    fix="If there is no such resource, say so by an error.",
)
def contents_are_not_empty(case: Case) -> Iterator[Flaw]:
    """“Servers MUST NOT return an empty contents array” for one that does not exist (since 2026-07)."""
    if peek.at(case.value, "contents") == []:
        yield Flaw("a resource was read, and contents is empty", "/result/contents")


@check(
    "R08",
    _HINT,
    "an update of a resource that nobody subscribed to",
    "notification notifications/resources/updated",
    topic="server/resources",
    until=4,
    confidence=Confidence.LIKELY,
)
def was_subscribed(case: Case) -> Iterator[Flaw]:
    """Parts of a resource that is subscribed to may be named."""
    uri = peek.text(case.value, "uri")
    if uri is not None and not any(uri.startswith(watched) for watched in case.scene.watched):
        yield Flaw(f"{uri[:80]!r} was updated, and nobody subscribed to it", "/params/uri")


@check("P05", _WARNING, "a resource in a prompt without its type", "answer prompts/get", topic="server/prompts")
def prompts_name_types(case: Case) -> Iterator[Flaw]:
    """“A MIME type” is part of an embedded resource in prose; the schema leaves it open."""
    for at, message in enumerate(peek.items(case.value, "messages")):
        resource = peek.mapping(message, "content", "resource")
        if resource and "mimeType" not in resource:
            yield Flaw("an embedded resource without mimeType", f"/result/messages/{at}/content/resource")


@check(
    "Q01",
    _ERROR,
    "a completion with values that can't be",
    "answer completion/complete",
    topic="server/utilities/completion",
)
def completion_adds_up(case: Case) -> Iterator[Flaw]:
    """100 values at most; the total is not less than what came."""
    values, total = peek.items(case.value, "completion", "values"), peek.integer(case.value, "completion", "total")
    if len(values) > 100:
        yield Flaw(f"{len(values)} values; 100 is the most", "/result/completion/values")
    if total is not None and total < len(values):
        yield Flaw(f"{len(values)} values of a total of {total}", "/result/completion/total", severity=_HINT)
    if total is not None and total > len(values) and peek.flag(case.value, "completion", "hasMore") is False:
        yield Flaw("there are more in total, and hasMore is false", "/result/completion/hasMore", severity=_HINT)
