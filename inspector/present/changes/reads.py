"""Two results of the same read, before and after, as lines: changes of text, and whether binary data differs.

Lines that changed are marked with "-" and "+", and brackets surround the words that differ. For text too long to
compare line by line, the share of differences is shown; for bytes, sizes and hashes.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from inspector import text
from inspector.present.changes.sides import word_differences
from inspector.present.spans import Line, Role, span
from inspector.protocol import peek

CONTEXT = 3
"""Context lines shown around a change."""
MOST_COMPARED = 3000
"""Maximum lines between the first and the last difference; more are only counted."""
MOST_SHOWN = 5000
_LONGEST = 1000
"""Maximum characters of a line that are shown."""
_MOST_WORDS = 400
"""Maximum characters of a line that is compared word by word."""
_LITTLE = 0.3
"""Similarity below which brackets around the words that differ would be around everything."""


def same(before: Any, after: Any) -> bool:
    """Whether two results of a read have the same contents."""
    return peek.items(before, "contents") == peek.items(after, "contents")


def change_lines(before: Any, after: Any) -> list[Line]:
    """Return the changes between two results, content by content, in the order of the newer one."""
    olds, found = _by_uri(before), list[Line]()
    for key, new in _by_uri(after).items():
        found += _content(key[0], olds.pop(key, None), new)
    for key, old in olds.items():
        found += _content(key[0], old, None)
    return (found or [(("No content on either side.", "muted"),)])[:MOST_SHOWN]


def _by_uri(result: Any) -> dict[tuple[str, int], Any]:
    """Return the contents by URI and by their index among contents with the same URI."""
    found: dict[tuple[str, int], Any] = {}
    for item in peek.items(result, "contents"):
        uri = peek.text(item, "uri") or ""
        found[uri, sum(known == uri for known, _ in found)] = item
    return found


def _content(uri: str, old: Any, new: Any) -> list[Line]:
    head: Line = (span(uri or "(no uri)", "title"),)
    if old == new:
        return [head, (("  unchanged", "muted"),)]
    before, after = peek.text(old, "text"), peek.text(new, "text")
    types = peek.text(old, "mimeType") or "", peek.text(new, "mimeType") or ""
    lines = [head]
    if old is not None and new is not None and types[0] != types[1]:
        lines.append(
            (
                ("  type ", "muted"),
                span(types[0] or "none", "removed"),
                (" → ", "muted"),
                span(types[1] or "none", "added"),
            )
        )
    if before is not None and after is not None:
        return [*lines, *_texts(before, after)]
    return [*lines, _whole("before", "-", old, "removed"), _whole("after", "+", new, "added")]


def _whole(when: str, sign: str, item: Any, role: Role) -> Line:
    """Return size and hash of a content, or that it is missing."""
    if item is None:
        return ((f"  {when}: missing", "muted"),)
    message, blob = peek.text(item, "text"), peek.text(item, "blob")
    if message is not None:
        return ((f"{sign} {when}: text, {text.human_size(len(message.encode('utf-8', 'replace')))}", role),)
    data = _bytes(blob)
    if data is None:
        return ((f"{sign} {when}: neither text nor readable bytes", role),)
    return ((f"{sign} {when}: {len(data):,} bytes, sha256 {sha256(data).hexdigest()}", role),)


def _bytes(blob: str | None) -> bytes | None:
    import base64
    import binascii

    try:
        return None if blob is None else base64.b64decode(blob, validate=True)
    except (binascii.Error, ValueError):
        return None


def _texts(before: str, after: str) -> Iterator[Line]:
    olds, news = before.splitlines(), after.splitlines()
    if olds == news:
        yield (("  only line endings differ", "muted"),)
        return
    first = next(n for n, (old, new) in enumerate(zip_longest(olds, news)) if old != new)
    last = next(n for n, (old, new) in enumerate(zip_longest(reversed(olds), reversed(news))) if old != new)
    last = min(last, len(olds) - first, len(news) - first)
    middle = len(olds) - first - last, len(news) - first - last
    if max(middle) > MOST_COMPARED:
        yield ((f"- {middle[0]:,} lines from line {first + 1:,} on", "removed"),)
        yield ((f"+ {middle[1]:,} lines instead; too many to compare", "added"),)
        return
    yield from _groups(olds, news, first, last)


def _groups(olds: list[str], news: list[str], first: int, last: int) -> Iterator[Line]:
    """Yield the differences with context. Only the lines between the first and the last difference are compared."""
    start = max(0, first - CONTEXT)
    ends = max(0, last - CONTEXT)
    cut_old, cut_new = olds[start : len(olds) - ends], news[start : len(news) - ends]
    matcher = SequenceMatcher(None, cut_old, cut_new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        old_at, new_at = group[0][1] + start + 1, group[0][3] + start + 1
        yield ((f"  line {old_at:,} → {new_at:,}", "faint"),)
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from ((("  ", "text"), span(line, "muted", limit=_LONGEST)) for line in cut_old[old_from:old_to])
            else:
                yield from _block(cut_old[old_from:old_to], cut_new[new_from:new_to])


def _block(olds: Sequence[str], news: Sequence[str]) -> Iterator[Line]:
    """Yield replaced lines; they are compared word by word if both sides have the same number."""
    paired = len(olds) == len(news)
    marked = [_words(old, new) for old, new in zip(olds, news, strict=True)] if paired else []
    for n, line in enumerate(olds):
        yield (("- ", "removed"), *(marked[n][0] if paired else (span(line, "removed", limit=_LONGEST),)))
    for n, line in enumerate(news):
        yield (("+ ", "added"), *(marked[n][1] if paired else (span(line, "added", limit=_LONGEST),)))


def _words(old: str, new: str) -> tuple[Line, Line]:
    if max(len(old), len(new)) > _MOST_WORDS:
        return (span(old, "removed", limit=_LONGEST),), (span(new, "added", limit=_LONGEST),)
    return word_differences(old, new, colored=True, least_ratio=_LITTLE)
