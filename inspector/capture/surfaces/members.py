"""How much it matters that a member of a thing is another one: of a tool, a prompt, a resource, a server's account.

Schemas are compared by what they let in; see `schemas`. Here is the rest. What models or hosts act by (descriptions,
instructions, annotations) is a warning, what people only see is not.
"""

from collections.abc import Callable, Iterator
from typing import Any

from inspector.capture.surfaces.keywords import Effect, described
from inspector.capture.surfaces.ratings import Rating, SurfaceChange, act_of
from inspector.capture.surfaces.schemas import Side, schema_changes
from inspector.capture.surfaces.surface import Surface
from inspector.protocol import peek
from inspector.protocol.differences import ABSENT, Change, below, differences
from inspector.protocol.fingerprints import content_hash

_BREAKING, _WARNING, _INFO = Rating.BREAKING, Rating.WARNING, Rating.INFO
Rated = tuple[Rating, str, str]
"""The rating, the rule, the sentence."""


def thing_changes(kind: str, name: str, before: Any, after: Any) -> list[SurfaceChange]:
    """What has changed in one thing, which is known not to be the same; at least one change."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        said = "one of the two is no object"
        return [SurfaceChange(kind, name, "", act_of(before, after), _BREAKING, "no-object", said, before, after)]
    found: list[SurfaceChange] = []
    for member in dict.fromkeys((*before, *after)):
        ours, theirs = before.get(member, ABSENT), after.get(member, ABSENT)
        if ours is not ABSENT and theirs is not ABSENT and content_hash(ours) == content_hash(theirs):
            continue
        found += _member(kind, name, member, ours, theirs)
    if not found:
        rated = (_INFO, "rewritten", "written in another way")
        found.append(SurfaceChange(kind, name, "", act_of(before, after), *rated, before, after))
    return found


def _member(kind: str, name: str, member: str, ours: Any, theirs: Any) -> list[SurfaceChange]:
    if kind == "tools" and member == "inputSchema":
        return schema_changes(kind, name, member, _schema(ours), _schema(theirs), Side.INPUT)
    if kind == "tools" and member == "outputSchema":
        return _output(kind, name, member, ours, theirs)
    if kind == "prompts" and member == "arguments" and _is_list(ours) and _is_list(theirs):
        return _arguments(name, ours, theirs)
    rate = _RATES.get((kind, member)) or _RATES.get(("", member)) or _other
    return list(_places(kind, name, member, ours, theirs, rate))


def _is_list(value: Any) -> bool:
    return value is ABSENT or value is None or isinstance(value, list)


def _schema(value: Any) -> Any:
    return True if value is ABSENT or value is None else value


def _output(kind: str, name: str, member: str, ours: Any, theirs: Any) -> list[SurfaceChange]:
    """A promise about results: none was there, none is left, or it is another one."""
    if ours is ABSENT or theirs is ABSENT:
        rated = (_INFO, "output-added", "results are described now")
        if theirs is ABSENT:
            rated = (_BREAKING, "output-removed", "structured results are not promised any more")
        return [SurfaceChange(kind, name, member, act_of(ours, theirs), *rated, ours, theirs)]
    return schema_changes(kind, name, member, _schema(ours), _schema(theirs), Side.OUTPUT)


def _places(
    kind: str, name: str, member: str, ours: Any, theirs: Any, rate: "Callable[[Change], Rated]"
) -> Iterator[SurfaceChange]:
    before = {} if ours is ABSENT else {member: ours}
    for change in differences(before, {} if theirs is ABSENT else {member: theirs}):
        act = act_of(change.before, change.after)
        yield SurfaceChange(kind, name, change.path, act, *rate(change), change.before, change.after)


def _arguments(name: str, ours: Any, theirs: Any) -> list[SurfaceChange]:
    """The arguments of a prompt, by their names."""
    old, new = _by_name(ours), _by_name(theirs)
    found: list[SurfaceChange] = []
    for key in dict.fromkeys((*old, *new)):
        path, before, after = below("arguments", key), old.get(key, ABSENT), new.get(key, ABSENT)
        if before is ABSENT or after is ABSENT:
            rated = _argument(peek.flag(after, "required") is True, is_new=before is ABSENT)
            found.append(SurfaceChange("prompts", name, path, act_of(before, after), *rated, before, after))
            continue
        for change in differences(before, after):
            place = below(path, change.path) if change.path else path
            act = act_of(change.before, change.after)
            found.append(SurfaceChange("prompts", name, place, act, *_in_argument(change), change.before, change.after))
    if not found:
        found.append(
            SurfaceChange(
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


def _in_argument(change: Change) -> Rated:
    if change.path == "required":
        needed = change.after is True
        rated = (_BREAKING, "required-added", "is required now")
        return rated if needed else (_INFO, "required-removed", "is not required any more")
    return _described(change) if change.path == "description" else _other(change)


def _by_name(items: Any) -> dict[str, Any]:
    """Arguments by name; one without a name by its place."""
    listed = items if isinstance(items, list) else []
    return {peek.text(each, "name") or f"[{at}]": each for at, each in enumerate(listed)}


def _described(change: Change) -> Rated:
    found = described(change.path, change.before, change.after)
    return _WARNING if found.effect is Effect.WORDS else _INFO, found.rule, found.sentence


def _annotation(change: Change) -> Rated:
    if change.path.endswith(("Hint", "annotations")):
        return _WARNING, "annotation", "hosts ask, or do not ask, before a call by this"
    return _other(change)


def _task_support(change: Change) -> Rated:
    if change.path not in ("execution", "execution.taskSupport"):
        return _other(change)
    now, before = _support(change.after), _support(change.before)
    if now == before:
        return _other(change)
    if now == "required" or before == "required":
        return _BREAKING, "task-support", f"calls as a task were {before}, and are {now} now"
    return _WARNING if now == "forbidden" else _INFO, "task-support", f"calls as a task were {before}, are {now} now"


def _support(value: Any) -> str:
    said = value if isinstance(value, str) else peek.text(value, "taskSupport")
    return said if said in ("required", "optional") else "forbidden"


def _kind_of_content(change: Change) -> Rated:
    return _WARNING, "mime-type", "readers get another kind of content"


def _other(change: Change) -> Rated:
    return _INFO, "other", "says nothing about calls"


_RATES: dict[tuple[str, str], Callable[[Change], Rated]] = {
    ("", "description"): _described,
    ("tools", "annotations"): _annotation,
    ("tools", "execution"): _task_support,
    ("resources", "mimeType"): _kind_of_content,
    ("templates", "mimeType"): _kind_of_content,
}


def account_changes(before: Surface, after: Surface) -> list[SurfaceChange]:
    """What a server says of itself: name and version, revision, capabilities, instructions."""
    found = list(_account("server", before.server, after.server, _server))
    found += _account("revision", before.revision, after.revision, _revision)
    found += _account("capabilities", before.capabilities, after.capabilities, _capability)
    found += _account("instructions", before.instructions or ABSENT, after.instructions or ABSENT, _described)
    return found


def _account(kind: str, ours: Any, theirs: Any, rate: "Callable[[Change], Rated]") -> Iterator[SurfaceChange]:
    for change in differences(ours, theirs):
        act = act_of(change.before, change.after)
        yield SurfaceChange(kind, "", change.path, act, *rate(change), change.before, change.after)


def _server(change: Change) -> Rated:
    if change.path == "name":
        return _WARNING, "server-name", "it calls itself by another name"
    return _INFO, "server", "about the server itself"


def _revision(change: Change) -> Rated:
    return _WARNING, "revision", "another version of the protocol was agreed upon"


def _capability(change: Change) -> Rated:
    if change.after is ABSENT:
        is_whole = "." not in change.path and "[" not in change.path
        rating = _BREAKING if is_whole else _WARNING
        return rating, "capability-removed", "it is not declared any more"
    if change.before is ABSENT:
        return _INFO, "capability-added", "it is declared now"
    return (_WARNING if not change.after else _INFO), "capability-changed", "it is declared in another way"
