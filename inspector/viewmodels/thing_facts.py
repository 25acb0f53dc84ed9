"""What a server says of a thing beside its description: which title wins, annotations, icons, `_meta`.

All of it is the server's claim. What has the wrong type or a value that means nothing is shown as it came, with a
word on what is wrong. An icon is a fact: it is never fetched, because then a server could tell who looks at it.

Source: specification 2025-06-18 and later, schema (BaseMetadata, Annotations, Icon, ToolAnnotations).
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode
from inspector.protocol.things import Thing
from inspector.viewmodels import text
from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.lines import Fact, Line, fact

MOST_ICONS = 10
_MOST_ANNOTATIONS = 20
_MOST_META = 200
"""Lines of `_meta` that are shown."""
_ROLES = ("user", "assistant")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def title_facts(thing: Thing) -> list[Fact]:
    """Which of its titles is shown, where it has several that differ: title, then annotations.title, then name."""
    places: dict[str, tuple[str, ...]] = {"title": ("title",), "annotations.title": ("annotations", "title")}
    given = {said: peek.text(thing.raw, *path) for said, path in (*places.items(), ("name", ("name",)))}
    there = {said: value for said, value in given.items() if value}
    if len(set(there.values())) < 2 or "annotations.title" not in there:
        return []
    shown = next((said for said, value in there.items() if value == thing.title), "")
    return [
        fact(said, f"{value}{'  (this is shown)' if said == shown else ''}", "claimed") for said, value in there.items()
    ]


def annotation_facts(raw: Any) -> list[Fact]:
    """Annotations one by one."""
    given = peek.at(raw, "annotations")
    if given is None:
        return []
    if not isinstance(given, dict):
        return [Fact("annotations", f"{peek.type_name(given)} instead of object", "warning")]
    return [_annotation(key, value) for key, value in list(given.items())[:_MOST_ANNOTATIONS] if key != "title"]


def _annotation(key: str, value: Any) -> Fact:
    judge = _JUDGES.get(key)
    wrong = judge(value) if judge else ""
    shown = _shown(value)
    return fact(key, f"{shown}  ({wrong})" if wrong else shown, "warning" if wrong else "claimed")


def _shown(value: Any) -> str:
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        return ", ".join(str(each) for each in value[:50])[:500]
    return value[:500] if isinstance(value, str) else text.decode(encode(value)[:500])


def _audience(value: Any) -> str:
    if not isinstance(value, list):
        return "not an array"
    odd = [each for each in value if each not in _ROLES]
    return "neither user nor assistant" if odd else ""


def _priority(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "not a number"
    return "" if 0 <= value <= 1 else "not between 0 and 1"


def _last_modified(value: Any) -> str:
    if not isinstance(value, str):
        return "not a string"
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return "not an ISO 8601 time"
    return ""


def _hint(value: Any) -> str:
    return "" if isinstance(value, bool) else "not a boolean"


_JUDGES: dict[str, Callable[[Any], str]] = {
    "audience": _audience,
    "priority": _priority,
    "lastModified": _last_modified,
    **dict.fromkeys(_HINTS, _hint),
}


def icon_facts(raw: Any) -> list[Fact]:
    """Icons: where from, media type, sizes, theme."""
    given = peek.at(raw, "icons")
    if given is None:
        return []
    if not isinstance(given, list):
        return [Fact("icons", f"{peek.type_name(given)} instead of array", "warning")]
    facts = [fact("icon", icon_words(icon), "muted") for icon in given[:MOST_ICONS]]
    if len(given) > MOST_ICONS:
        facts.append(Fact("icons", f"{len(given) - MOST_ICONS} more", "muted"))
    return facts


def icon_words(icon: Any) -> str:
    """An icon in words; foreign. Of one that is written into its URI only the beginning is kept."""
    source = peek.text(icon, "src") or "no src"
    sizes = peek.at(icon, "sizes")
    listed = sizes if isinstance(sizes, str) else ", ".join(each for each in peek.items(sizes) if isinstance(each, str))
    theme = peek.text(icon, "theme")
    parts = (source[:80], peek.text(icon, "mimeType"), listed, f"{theme} theme" if theme else "")
    return " ".join(part for part in parts if part)


def meta_facts(raw: Any) -> list[Fact]:
    """`_meta` in short: the names in it."""
    meta = peek.at(raw, "_meta")
    if meta is None:
        return []
    if not isinstance(meta, dict):
        return [Fact("_meta", f"{peek.type_name(meta)} instead of object", "warning")]
    return [fact("_meta", ", ".join(meta) or "empty", "muted")]


def meta_lines(raw: Any) -> Iterator[Line]:
    """`_meta` as JSON, line by line; nothing without one."""
    meta = peek.at(raw, "_meta")
    if not meta:
        return
    yield (("_meta", "muted"),)
    lines = JsonLines(encode(meta))
    for index in range(min(lines.count, _MOST_META)):
        yield (("  ", "text"), *lines.line(index))
    if lines.count > _MOST_META:
        yield ((f"  and {lines.count - _MOST_META} lines more", "muted"),)


def said_facts(thing: Thing) -> list[Fact]:
    """All of it but the JSON of `_meta`."""
    raw = thing.raw
    return [*title_facts(thing), *annotation_facts(raw), *icon_facts(raw), *meta_facts(raw)]
