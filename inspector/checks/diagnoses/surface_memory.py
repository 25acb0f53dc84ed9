"""What a server offers against what is remembered of it: definitions that changed after they were trusted."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from inspector.checks.findings import Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case
from inspector.protocol import peek
from inspector.protocol.differences import differences
from inspector.protocol.fingerprints import INSTRUCTIONS, Remembered, content_hash
from inspector.protocol.list_changes import key_of
from inspector.protocol.things import KIND_OF_METHOD, LISTS

_HINT = Severity.HINT
_ONE = {"tools": "tool", "prompts": "prompt", "templates": "template"}
_MOST_PLACES = 4
_FIX = "Read what has changed before you trust it: the word diff stands behind D in Tools, and in mcp-inspect diff."
_LISTS = tuple(f"answer {LISTS[kind].method}" for kind in _ONE)
_OPENINGS = ("answer initialize", "answer server/discover")


@check(
    "S-24",
    Severity.WARNING,
    "changed since it was approved",
    *_LISTS,
    *_OPENINGS,
    topic="",
    heavy=True,
    fix=_FIX,
    wanted=lambda case: bool(case.scene.seen),
)
def definitions_stay(case: Case) -> Iterator[Flaw]:
    """Each thing whose hash is another one; what is new beside things that are known is a hint."""
    kind = KIND_OF_METHOD.get(case.method, "")
    known = case.scene.seen.get(kind or INSTRUCTIONS)
    if known is None:
        return
    if not kind:
        yield from _instructions(case.value, known)
        return
    member = LISTS[kind].member
    for at, raw in enumerate(peek.items(case.value, member)):
        key, place = key_of(kind, raw), f"/result/{member}/{at}"
        if key not in known.things:
            said = f"the {_ONE[kind]} {key[:80]} is new {_since(known)}"
            yield Flaw(said, place, severity=_HINT)
            continue
        hash_, before = known.things[key]
        if hash_ != content_hash(raw):
            yield Flaw(f"the {_ONE[kind]} {key[:80]} has changed {_since(known)}{_where(before, raw)}", place)


def _instructions(result: Any, known: Remembered) -> Iterator[Flaw]:
    hash_, _ = known.things.get("", ("", None))
    if hash_ != content_hash(peek.text(result, "instructions") or ""):
        yield Flaw(f"the instructions have changed {_since(known)}", "/result/instructions")


def _since(known: Remembered) -> str:
    """Since when; a lock file knows no day."""
    if not known.since:
        return "since it was locked"
    try:
        return f"since {datetime.fromtimestamp(known.since, UTC).astimezone().date().isoformat()}"
    except (OverflowError, ValueError, OSError):
        return "since it was approved"


def _where(before: Any, after: Any) -> str:
    places = [change.path[:80] for change in differences(before, after)] if before is not None else []
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return f": {', '.join(places[:_MOST_PLACES])}{more}" if any(places) else ""
