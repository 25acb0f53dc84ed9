"""Shows changes of server definitions as lines, as Markdown for a pull request, and as JSON.

The most severe changes come first. Descriptions are compared word by word. All names and values are untrusted and
escaped.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from inspector import text
from inspector.features.lock.changes import DefinitionsDiff
from inspector.features.lock.schemas import Act, DefinitionChange, Rating
from inspector.present import spans
from inspector.present.changes.sides import both_sides, both_texts, brief
from inspector.present.spans import Line, Role, plain, span
from inspector.protocol.changes import ABSENT
from inspector.protocol.listed_items import LISTS

_ROLES: dict[Rating, Role] = {Rating.BREAKING: "error", Rating.WARNING: "warning", Rating.INFO: "muted"}
_SIGNS = {Rating.BREAKING: spans.ERROR, Rating.WARNING: spans.WARNING, Rating.INFO: spans.NOTE}
_ACTS = {Act.ADDED: "+", Act.REMOVED: "−", Act.CHANGED: "~"}
_LONGEST = 160
"""Maximum number of characters shown of a value."""
_LONGEST_TEXT = 4_000
_INDENT = " " * 13


def diff_lines(diff: DefinitionsDiff, before: str, after: str) -> list[Line]:
    """Return all changes as lines, starting with the summary; `before` and `after` name the two sides."""
    lines: list[Line] = [
        (("− ", "removed"), span(before, "strong", limit=200)),
        (("+ ", "added"), span(after, "strong", limit=200)),
        summary(diff),
    ]
    lines += [((f"{spans.NOTE} ", "muted"), span(note, "muted")) for note in diff.notes]
    for _, group in groupby(_ordered(diff.changes), key=_together):
        changes = [*group]
        lines += [(), *(_item_lines(changes) if len({each.name for each in changes}) == 1 else _list_lines(changes))]
    return lines


def _together(change: DefinitionChange) -> tuple[str, ...]:
    """Return the grouping key of a change: the item for a changed item, the kind for removed or new items."""
    whole = not change.path and change.kind in LISTS and change.act is not Act.CHANGED
    return ("", change.kind, change.act) if whole else (change.kind, change.name)


def _one(kind: str) -> str:
    return LISTS[kind].one if kind in LISTS else kind


def _item_lines(changes: Sequence[DefinitionChange]) -> Iterator[Line]:
    kind, name = changes[0].kind, changes[0].name
    yield ((_one(kind), "muted"), (" " * bool(name), "text"), span(name, "method", limit=200))
    for change in changes:
        yield from change_lines(change)


def _list_lines(changes: Sequence[DefinitionChange]) -> Iterator[Line]:
    """Yield one line for each removed or new item."""
    kind, count = changes[0].kind, f"{len(changes):,}"
    gone = changes[0].act is Act.REMOVED
    yield ((f"{count} {kind} are gone" if gone else f"{count} new {kind}", "muted"),)
    for change in changes:
        yield (*_head(change), span(change.name, "method", limit=200))


def summary(diff: DefinitionsDiff) -> Line:
    """Return the number of changes of each rating."""
    if not diff.changes:
        return (("no difference", "ok"), (_compared(diff), "muted"))
    parts: list[tuple[str, Role]] = []
    for rating in Rating:
        if count := diff.count(rating):
            parts += [(", " if parts else "", "text"), (f"{count:,} {rating}", _ROLES[rating])]
    return (*parts, (_compared(diff), "muted"))


def _compared(diff: DefinitionsDiff) -> str:
    return f"; {text.counted(diff.compared, 'item')} on both sides"


def _ordered(changes: Iterable[DefinitionChange]) -> list[DefinitionChange]:
    """Sort items by their most severe change, and the changes of each item by severity."""
    listed = list(changes)
    worst: dict[tuple[str, str], int] = {}
    for each in listed:
        key = (each.kind, each.name)
        worst[key] = min(worst.get(key, 9), each.rating.rank)
    places = {key: place for place, key in enumerate(worst)}
    return sorted(
        listed, key=lambda each: (worst[each.kind, each.name], places[each.kind, each.name], each.rating.rank)
    )


def change_lines(change: DefinitionChange) -> Iterator[Line]:
    """Yield one change: rating and place, the reason, both sides."""
    where = text.visible(change.path, limit=300)
    message = text.visible(change.sentence, limit=300)
    yield (*_head(change), (where, "key"), (": " if where else "", "key"), (message, "text"))
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str) and (" " in before or " " in after):
        yield from both_texts(before[:_LONGEST_TEXT], after[:_LONGEST_TEXT], _INDENT)
    elif where:
        yield from both_sides(before, after, _INDENT, shown)


def _head(change: DefinitionChange) -> Line:
    role = _ROLES[change.rating]
    return ((f"  {_SIGNS[change.rating]} ", role), (f"{change.rating:<8} ", role), (f"{_ACTS[change.act]} ", role))


def shown(value: Any) -> str:
    """Return a value on one line, safe to show."""
    return brief(value, _LONGEST)


def diff_markdown(diff: DefinitionsDiff, before: str, after: str) -> Iterator[str]:
    """Yield the changes as Markdown for a pull request. Foreign text is escaped."""
    yield f"### What the server offers: {plain(summary(diff))}"
    yield ""
    yield f"before: {_code(before)}, after: {_code(after)}"
    if diff.notes:
        yield ""
        yield from (f"- {_escaped(note)}" for note in diff.notes)
    if not diff.changes:
        return
    yield ""
    yield "| rating | what | where | why | before | after |"
    yield "|---|---|---|---|---|---|"
    for each in _ordered(diff.changes):
        what = f"{_one(each.kind)} {_code(each.name)}" if each.name else each.kind
        where = _code(each.path) if each.path else each.act.value
        sides = (_value(each.before), _value(each.after)) if each.path else ("", "")
        rating = f"**{each.rating}**" if each.rating is Rating.BREAKING else str(each.rating)
        yield f"| {rating} | {what} | {where} | {_escaped(each.sentence)} | {sides[0]} | {sides[1]} |"


def _value(value: Any) -> str:
    return "" if value is ABSENT else _code(shown(value))


def _code(foreign: str) -> str:
    """Return a text as a code span that can be used in a table cell."""
    safe = text.visible(foreign, limit=300).replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", safe)), default=0))
    pad = " " if "`" in safe else ""
    return f"{fence}{pad}{safe}{pad}{fence}" if safe else ""


def _escaped(foreign: str) -> str:
    """Escape all Markdown and HTML in a text."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~@&])", r"\\\1", text.visible(foreign, limit=300))


def diff_as_json(diff: DefinitionsDiff) -> dict[str, Any]:
    """Return all changes as JSON data, with unmodified values."""
    return {
        "counts": {rating: diff.count(rating) for rating in Rating},
        "compared": diff.compared,
        "notes": list(diff.notes),
        "changes": [_as_json(each) for each in diff.changes],
    }


def _as_json(change: DefinitionChange) -> dict[str, Any]:
    about: dict[str, Any] = {
        "rating": change.rating,
        "rule": change.rule,
        "kind": change.kind,
        "name": change.name,
        "path": change.path,
        "act": change.act,
        "sentence": change.sentence,
    }
    sides = {"before": change.before, "after": change.after}
    return about | {name: value for name, value in sides.items() if value is not ABSENT}
