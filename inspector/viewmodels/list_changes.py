"""What has changed in a list, as lines: what was added, what is gone, and both sides of what has changed.

Texts are compared word by word: brackets stand around the words that differ. Everything else is told by its path.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from inspector.protocol.differences import ABSENT, MOST, Change, differences
from inspector.protocol.jsonrpc import encode
from inspector.protocol.list_changes import THINGS, ListChanges
from inspector.protocol.things import Thing
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.roles import Role, Span

MOST_THINGS = 500
"""Of each sort that are told one by one."""
_MOST_WORDS = 1_000
"""Texts with more are shown as wholes."""
_LONGEST = 4_000
_ONE = {"tools": "tool", "resources": "resource", "templates": "template", "prompts": "prompt"}
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_WORDS_OF = ("description", "instructions")


def in_short(changes: Iterable[ListChanges]) -> str:
    """How much has changed, "2 new, 1 gone, 1 changed"; "" for nothing."""
    all_ = list(changes)
    counts = {
        "new": sum(len(each.added) for each in all_),
        "gone": sum(len(each.removed) for each in all_),
        "changed": sum(len(each.changed) for each in all_),
    }
    said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    return said or ("another order" if any(each.reordered for each in all_) else "")


def change_lines(changes: ListChanges) -> list[Line]:
    """All that has changed in one list, under headings; [] for nothing."""
    found: list[Line] = []
    for title, things in (("added", changes.added), ("removed", changes.removed)):
        if things:
            found += _heading(changes.kind, title, len(things))
            found += [_thing(changes.kind, raw, title) for raw in things[:MOST_THINGS]]
            found += _rest(len(things) - MOST_THINGS)
    if changes.changed:
        found += _heading(changes.kind, "changed", len(changes.changed))
        for before, after in changes.changed[:MOST_THINGS]:
            found += _changed(changes.kind, before, after)
        found += _rest(len(changes.changed) - MOST_THINGS)
    if changes.reordered:
        found += [(), ((f"The {changes.kind} are the same, in another order", "text"),)]
    return found[1:] if found and not found[0] else found


def _heading(kind: str, word: str, count: int) -> list[Line]:
    return [(), ((f"{count:,} {_ONE[kind] if count == 1 else kind} {word}", "title"),)]


def _rest(count: int) -> list[Line]:
    return [((f"  and {count:,} more", "muted"),)] if count > 0 else []


def _thing(kind: str, raw: Any, word: str) -> Line:
    thing = THINGS[kind](raw)
    role: Role = "added" if word == "added" else "removed"
    sign = "+" if word == "added" else "−"
    about = thing.title if thing.title != thing.key else thing.description.split("\n")[0]
    return ((f"  {sign} ", role), span(_name(thing), role), (f"  {text.visible(about, limit=200)}", "muted"))


def _name(thing: Thing) -> str:
    return thing.key or thing.name or "(no name)"


def _changed(kind: str, before: Any, after: Any) -> Iterator[Line]:
    yield ((f"  {signs.EVENT} ", "warning"), span(_name(THINGS[kind](after)), "method"))
    found = differences(before, after)
    for change in found[:MOST]:
        yield from _change(change)
    if len(found) > MOST:
        yield (("      and more", "muted"),)


def _change(change: Change) -> Iterator[Line]:
    path = text.visible(change.path, limit=500) or "all of it"
    last = re.split(r"[.\[]", change.path)[-1]
    if isinstance(change.before, str) and isinstance(change.after, str) and _is_prose(last, change):
        before, after = word_differences(change.before, change.after)
        yield ((f"    {path}", "key"),)
        yield (("      − ", "removed"), *before)
        yield (("      + ", "added"), *after)
        return
    if change.before is ABSENT:
        yield ((f"    {path}: ", "key"), ("+ ", "added"), (_short(change.after), "added"))
    elif change.after is ABSENT:
        yield ((f"    {path}: ", "key"), ("− ", "removed"), (_short(change.before), "removed"))
    else:
        sides: Line = ((_short(change.before), "removed"), (f" {signs.TO_SERVER} ", "muted"))
        yield ((f"    {path}: ", "key"), *sides, (_short(change.after), "added"))


def _is_prose(member: str, change: Change) -> bool:
    return member in _WORDS_OF or " " in change.before.strip() or " " in change.after.strip()


def _short(value: Any) -> str:
    raw = encode(value)
    return text.visible(text.decode(raw[:_LONGEST]), limit=_LONGEST)


def word_differences(before: str, after: str) -> tuple[Line, Line]:
    """Both texts, each on one line, with brackets around the words that the other has not."""
    old, new = _words(before), _words(after)
    if max(len(old), len(new)) > _MOST_WORDS:
        return (_all(before, "removed"), _all(after, "added"))
    left: list[Span] = []
    right: list[Span] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            left.append(span("".join(old[i:j]), "foreign", limit=None))
            right.append(span("".join(new[k:m]), "foreign", limit=None))
            continue
        left += _bracketed(old[i:j], "removed")
        right += _bracketed(new[k:m], "added")
    return tuple(left), tuple(right)


def _words(foreign: str) -> list[str]:
    return _WORDS.findall(foreign[: _MOST_WORDS * 20])


def _bracketed(words: Sequence[str], role: Role) -> list[Span]:
    said = "".join(words)
    return [("[", role), span(said, role, limit=None), ("]", role)] if said else []


def _all(foreign: str, role: Role) -> Line:
    return (span(foreign, role, limit=_LONGEST),)
