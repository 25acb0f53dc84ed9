"""Compares server definitions and rates each change: breaking, warning or info.

Items match if they have the same key; among items with equal keys, the first is compared with the first. A list that
only one side knows is not compared. An incomplete list does not prove that an item is missing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from inspector.features.lock.lock_file import ServerDefinitions, name_of
from inspector.features.lock.schemas import (
    Act,
    DefinitionChange,
    Rating,
    SchemaEffect,
    SchemaSide,
    act_of,
    described,
    schema_changes,
)
from inspector.protocol import peek
from inspector.protocol.changes import ABSENT, JsonChange, below, differences, key_of
from inspector.protocol.fingerprints import content_hash
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import LISTS
from inspector.text import cut

_BREAKING, _WARNING, _INFO = Rating.BREAKING, Rating.WARNING, Rating.INFO
Rated = tuple[Rating, str, str]
"""Rating, rule, sentence."""

_GONE = {"tools": _BREAKING, "prompts": _BREAKING, "templates": _BREAKING, "resources": _WARNING}
"""Ratings of removed items. Resources change with the server's data; the other kinds are its interface."""
_FEW = 5
"""Two servers are suspiciously different if they share less than one in this many items."""


class DefinitionsDiff(msgspec.Struct, frozen=True):
    """The differences: first the server's information about itself, then the lists, each ordered by key."""

    changes: tuple[DefinitionChange, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not compared, one sentence each."""
    compared: int = 0
    """Number of items that both sides have."""

    def count(self, rating: Rating) -> int:
        """Return the number of changes with this rating."""
        return sum(change.rating is rating for change in self.changes)

    @property
    def worst(self) -> Rating | None:
        """Most severe rating; None if nothing differs."""
        return min((change.rating for change in self.changes), key=lambda each: each.rank, default=None)


def compare_definitions(before: ServerDefinitions, after: ServerDefinitions) -> DefinitionsDiff:
    """Compare the definitions of two servers, or of one at two times. Never raises, whatever they contain."""
    changes: list[DefinitionChange] = []
    notes: list[str] = []
    compared = 0
    if before.server is None or after.server is None:
        if before.server is not after.server:
            notes.append("only one of the two knows how the server introduces itself: that is not compared")
    else:
        changes += account_changes(before, after)
    for kind in LISTS:
        if kind not in before.lists or kind not in after.lists:
            if (kind in before.lists) is not (kind in after.lists):
                notes.append(f"only one of the two knows the {kind}: they are not compared")
            continue
        whole = kind not in before.partial, kind not in after.partial
        if not all(whole):
            notes.append(f"the {kind} were not fetched to the end: what seems missing there is not reported")
        found, same = _list_changes(kind, before.lists[kind], after.lists[kind], *whole)
        changes += found
        compared += same
    return DefinitionsDiff(tuple(changes), tuple(notes + _unlike(before, after, compared)), compared)


def item_changes(kind: str, name: str, before: Any, after: Any) -> list[DefinitionChange]:
    """Return the changes of one item that is known to differ; at least one change."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        message = "one of the two is not an object"
        return [DefinitionChange(kind, name, "", act_of(before, after), _BREAKING, "no-object", message, before, after)]
    found: list[DefinitionChange] = []
    for member in dict.fromkeys((*before, *after)):
        ours, theirs = before.get(member, ABSENT), after.get(member, ABSENT)
        if ours is not ABSENT and theirs is not ABSENT and content_hash(ours) == content_hash(theirs):
            continue
        found += _member(kind, name, member, ours, theirs)
    if not found:
        rated = (_INFO, "rewritten", "written in another way")
        found.append(DefinitionChange(kind, name, "", act_of(before, after), *rated, before, after))
    return found


def _member(kind: str, name: str, member: str, ours: Any, theirs: Any) -> list[DefinitionChange]:
    if kind == "tools" and member == "inputSchema":
        return schema_changes(kind, name, member, _schema(ours), _schema(theirs), SchemaSide.INPUT)
    if kind == "tools" and member == "outputSchema":
        return _output(kind, name, member, ours, theirs)
    if kind == "prompts" and member == "arguments" and _is_list(ours) and _is_list(theirs):
        return _arguments(name, ours, theirs)
    rate = _RATES.get((kind, member)) or _RATES.get(("", member)) or _other
    before, after = ({} if side is ABSENT else {member: side} for side in (ours, theirs))
    return list(_rated(kind, name, before, after, rate))


def _is_list(value: Any) -> bool:
    return value is ABSENT or value is None or isinstance(value, list)


def _schema(value: Any) -> Any:
    return True if value is ABSENT or value is None else value


def _output(kind: str, name: str, member: str, ours: Any, theirs: Any) -> list[DefinitionChange]:
    """Compare output schemas: one that was added, removed or changed."""
    if ours is ABSENT or theirs is ABSENT:
        rated = (_INFO, "output-added", "results are described now")
        if theirs is ABSENT:
            rated = (_BREAKING, "output-removed", "structured results are not promised any more")
        return [DefinitionChange(kind, name, member, act_of(ours, theirs), *rated, ours, theirs)]
    return schema_changes(kind, name, member, _schema(ours), _schema(theirs), SchemaSide.OUTPUT)


def _rated(
    kind: str, name: str, before: Any, after: Any, rate: Callable[[JsonChange], Rated]
) -> Iterator[DefinitionChange]:
    for change in differences(before, after):
        act = act_of(change.before, change.after)
        yield DefinitionChange(kind, name, change.path, act, *rate(change), change.before, change.after)


def _arguments(name: str, ours: Any, theirs: Any) -> list[DefinitionChange]:
    """Compare the arguments of a prompt by name."""
    old, new = _by_name(ours), _by_name(theirs)
    found: list[DefinitionChange] = []
    for key in dict.fromkeys((*old, *new)):
        path, before, after = below("arguments", key), old.get(key, ABSENT), new.get(key, ABSENT)
        if before is ABSENT or after is ABSENT:
            rated = _argument(peek.flag(after, "required") is True, is_new=before is ABSENT)
            found.append(DefinitionChange("prompts", name, path, act_of(before, after), *rated, before, after))
            continue
        for change in differences(before, after):
            place = below(path, change.path) if change.path else path
            act = act_of(change.before, change.after)
            found.append(
                DefinitionChange("prompts", name, place, act, *_in_argument(change), change.before, change.after)
            )
    if not found:
        found.append(
            DefinitionChange(
                "prompts", name, "arguments", act_of(ours, theirs), _INFO, "rewritten", "in another order", ours, theirs
            )
        )
    return found


def _argument(is_needed: bool, *, is_new: bool) -> Rated:
    if not is_new:
        return _WARNING, "argument-removed", "an argument is gone: ignored or refused"
    if is_needed:
        return _BREAKING, "required-argument-added", "a new argument that must be given"
    return _INFO, "argument-added", "a new argument"


def _in_argument(change: JsonChange) -> Rated:
    if change.path == "required":
        needed = change.after is True
        rated = (_BREAKING, "required-added", "is required now")
        return rated if needed else (_INFO, "required-removed", "is not required any more")
    return _described(change) if change.path == "description" else _other(change)


def _by_name(items: Any) -> dict[str, Any]:
    """Return arguments by name; an argument without a name by its position."""
    listed = items if isinstance(items, list) else []
    return {peek.text(each, "name") or f"[{at}]": each for at, each in enumerate(listed)}


def _described(change: JsonChange) -> Rated:
    found = described(change.path, change.before, change.after)
    return _WARNING if found.effect is SchemaEffect.WORDS else _INFO, found.rule, found.sentence


def _annotation(change: JsonChange) -> Rated:
    if change.path.endswith(("Hint", "annotations")):
        return _WARNING, "annotation", "hosts ask, or do not ask, before a call by this"
    return _other(change)


def _task_support(change: JsonChange) -> Rated:
    if change.path not in ("execution", "execution.taskSupport"):
        return _other(change)
    now, before = _support(change.after), _support(change.before)
    if now == before:
        return _other(change)
    if now == "required" or before == "required":
        return _BREAKING, "task-support", f"calls as a task were {before}, and are {now} now"
    return _WARNING if now == "forbidden" else _INFO, "task-support", f"calls as a task were {before}, are {now} now"


def _support(value: Any) -> str:
    message = value if isinstance(value, str) else peek.text(value, "taskSupport")
    return message if message in ("required", "optional") else "forbidden"


def _kind_of_content(change: JsonChange) -> Rated:
    return _WARNING, "mime-type", "readers get another kind of content"


def _other(change: JsonChange) -> Rated:
    return _INFO, "other", "does not affect calls"


_RATES: dict[tuple[str, str], Callable[[JsonChange], Rated]] = {
    ("", "description"): _described,
    ("tools", "annotations"): _annotation,
    ("tools", "execution"): _task_support,
    ("resources", "mimeType"): _kind_of_content,
    ("templates", "mimeType"): _kind_of_content,
}


def account_changes(before: ServerDefinitions, after: ServerDefinitions) -> list[DefinitionChange]:
    """Compare what a server reports about itself: name and version, revision, capabilities, instructions."""
    found = list(_rated("server", "", before.server, after.server, _server))
    found += _rated("revision", "", before.revision, after.revision, _revision)
    found += _rated("capabilities", "", before.capabilities, after.capabilities, _capability)
    found += _rated("instructions", "", before.instructions or ABSENT, after.instructions or ABSENT, _described)
    return found


def _server(change: JsonChange) -> Rated:
    if change.path == "name":
        return _WARNING, "server-name", "it calls itself by another name"
    return _INFO, "server", "about the server itself"


def _revision(change: JsonChange) -> Rated:
    return _WARNING, "revision", "another version of the protocol was agreed upon"


def _capability(change: JsonChange) -> Rated:
    if change.after is ABSENT:
        is_whole = "." not in change.path and "[" not in change.path
        rating = _BREAKING if is_whole else _WARNING
        return rating, "capability-removed", "it is not declared any more"
    if change.before is ABSENT:
        return _INFO, "capability-added", "it is declared now"
    return (_WARNING if not change.after else _INFO), "capability-changed", "it is declared in another way"


def _unlike(before: ServerDefinitions, after: ServerDefinitions, common: int) -> list[str]:
    """Return a note if these seem to be two different servers rather than two versions of one."""
    names = name_of(before), name_of(after)
    fewest = min(sum(map(len, each.lists.values())) for each in (before, after))
    if names[0] == names[1] or not all(names) or common * _FEW > fewest:
        return []
    in_common = f"{common:,} of {fewest:,} items" if common else "no item"
    return [
        f"{cut(names[0], 60)!r} and {cut(names[1], 60)!r} have {in_common} in common: are they versions of one server?"
    ]


def _list_changes(
    kind: str, before: Sequence[Any], after: Sequence[Any], before_whole: bool, after_whole: bool
) -> tuple[list[DefinitionChange], int]:
    """Return the changes of one list, and the number of items that both sides have."""
    old, new = _by_place(kind, before), _by_place(kind, after)
    found: list[DefinitionChange] = []
    for place in sorted({*old, *new}):
        name = place[0]
        if place not in new:
            found += [_gone(kind, name, old[place])] if after_whole else []
        elif place not in old:
            found += [_came(kind, name, new[place])] if before_whole else []
        elif old[place] is not new[place] and encode(old[place]) != encode(new[place]):
            found += item_changes(kind, name, old[place], new[place])
    return found, len(old.keys() & new.keys())


def _gone(kind: str, name: str, raw: Any) -> DefinitionChange:
    one = LISTS[kind].one
    return DefinitionChange(
        kind, name, "", Act.REMOVED, _GONE[kind], f"{one}-removed", f"the {one} is gone", raw, ABSENT
    )


def _came(kind: str, name: str, raw: Any) -> DefinitionChange:
    one = LISTS[kind].one
    return DefinitionChange(kind, name, "", Act.ADDED, _INFO, f"{one}-added", f"a new {one}", ABSENT, raw)


def _by_place(kind: str, items: Sequence[Any]) -> dict[tuple[str, int], Any]:
    """Return items by key and by the number of earlier items with that key."""
    count: Counter[str] = Counter()
    return dict(_placed(kind, items, count))


def _placed(kind: str, items: Sequence[Any], count: Counter[str]) -> Iterator[tuple[tuple[str, int], Any]]:
    for raw in items:
        key = key_of(kind, raw)
        yield (key, count[key]), raw
        count[key] += 1
