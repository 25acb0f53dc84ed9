"""What a search found, in words: the sentence, both messages with the difference marked, and what was not tried."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.checks.findings import Finding, Severity
from inspector.features.blame.edits import Edit
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import DELETION, ENDED, ClientScript
from inspector.features.blame.search import Blame, BlameEnd
from inspector.present.spans import Line, Role
from inspector.protocol.credentials import is_masked
from inspector.text import cell_width, cut, visible

_ROOM = 12
"""Characters of a message that are shown before and after what differs."""
_MOST_NAMED = 6
_CHANGES = ("modify", "drop", "answer", "fault")
_MOST_FINDINGS = 3


class MarkedText(msgspec.Struct, frozen=True):
    """A text with the part that differs."""

    before: str
    marked: str
    after: str

    @property
    def whole(self) -> str:
        return self.before + self.marked + self.after


class DecisivePair(msgspec.Struct, frozen=True):
    """What the failing and the working side send, of one message or another part of the session."""

    what: str
    """Key of the message; "" for another part of the session."""
    fails: MarkedText | None
    """None if it is not sent."""
    works: MarkedText | None


def sentence(found: Blame) -> str:
    """Return the result in one sentence, or two."""
    match found.end:
        case BlameEnd.FOUND:
            text = f"The server works if {_labels(found.edits)}: {_outcomes(found)}."
            if found.instead:
                text += f" It also works if, instead, {_labels(found.instead)}: it fails only with both."
            return text
        case BlameEnd.SAME if found.fails:
            failed = "; ".join(f"{key} gives {came}" for key, came in found.fails.items())
            return f"Both sides fail alike: {failed}. Name a client that works with --works or --as."
        case BlameEnd.SAME:
            return (
                "The server answers both sides alike, without a failure: there is no difference in outcome. "
                "A client that still fails rejects a response that the other one accepts."
            )
        case BlameEnd.FLAKY:
            return f"The outcome is flaky: {found.note}."
        case BlameEnd.NOT_REPRODUCED:
            failed = "; ".join(f"{key}: {came}" for key, came in found.fails.items())
            return f"The recorded failure ({failed}) does not happen here, {found.note}."
        case BlameEnd.NOT_HELD:
            return (
                f"The sides differ ({_outcomes(found)}), but all {found.compared} differences of the captures together "
                "do not make it work: the cause is something that a capture does not hold."
            )
        case BlameEnd.UNFINISHED:
            return f"Not found within {found.runs} runs; --max-runs allows more."


def _labels(edits: Sequence[Edit]) -> str:
    return " and ".join(each.label for each in edits)


def _outcomes(found: Blame) -> str:
    first = [key for key in found.works if not key.endswith(")")] or [*found.works]  # not its repetitions
    return "; ".join(_change(key, found.fails[key], found.works[key]) for key in first)


def _change(key: str, fails: str, works: str) -> str:
    return (
        f"{key} {works} (it {fails} otherwise)"
        if key in (ENDED, DELETION)
        else f"{key} gives {works} instead of {fails}"
    )


def decisive_pairs(found: Blame) -> list[DecisivePair]:
    """Return what the decisive differences change, before and after, each message once."""
    if found.minimal is None or found.script is None:
        return []
    pairs = [
        DecisivePair(key, *_marked(_text(found.script, key), _text(found.minimal, key)))
        for key in dict.fromkeys(each.key for each in found.edits if each.key)
    ]
    pairs = [each for each in pairs if each.fails != each.works]
    return pairs + [
        DecisivePair("", MarkedText("", each.before, ""), MarkedText("", each.after, ""))
        for each in found.edits
        if each.before or each.after
    ]


def _text(script: ClientScript, key: str) -> str | None:
    step = next((each for each in script.steps if each.key == key), None)
    return None if step is None else step.payload.decode("utf-8", "replace")


def _marked(first: str | None, second: str | None) -> tuple[MarkedText | None, MarkedText | None]:
    """Mark where two texts differ, from the first difference to the last."""
    if first is None or second is None:
        return (None if first is None else MarkedText("", first, "")), (
            None if second is None else MarkedText("", second, "")
        )
    least = min(len(first), len(second))
    begin = next((n for n in range(least) if first[n] != second[n]), least)
    end = next((n for n in range(least - begin) if first[-1 - n] != second[-1 - n]), least - begin)
    marked = [
        MarkedText(each[:begin], each[begin : len(each) - end], each[len(each) - end :]) for each in (first, second)
    ]
    return marked[0], marked[1]


def excerpt(text: MarkedText, width: int) -> MarkedText:
    """Return the marked part with as much around it as there is room for."""
    room = max(_ROOM, (width - len(text.marked)) // 2)
    before = text.before if len(text.before) <= room else "…" + text.before[-room:]
    after = cut(text.after, room)
    return MarkedText(before, cut(text.marked, 4 * width), after)


def blame_lines(found: Blame, width: int, *, marks: bool) -> Iterator[Line]:
    """Yield the result as lines: the sentence, then what each side sends. `marks`: mark what differs without colors."""
    yield ((visible(sentence(found), limit=2000), "text"),)
    for pair in decisive_pairs(found):
        yield ()
        if pair.what:
            yield ((visible(pair.what, limit=200), "method"),)
        yield from _side_lines("fails", pair.fails, "error", width, marks=marks)
        yield from _side_lines("works", pair.works, "ok", width, marks=marks)


def _side_lines(name: str, text: MarkedText | None, role: Role, width: int, *, marks: bool) -> Iterator[Line]:
    if text is None:
        yield ((f"  {name}  ", "muted"), ("(not sent)", "faint"))
        return
    shown = excerpt(text, width - 12)
    before, marked, after = (visible(each, limit=4000) for each in (shown.before, shown.marked, shown.after))
    yield ((f"  {name}  ", "muted"), (before, "text"), (marked, role), (after, "text"))
    if marks and marked and (before or after):
        yield ((" " * (9 + cell_width(before)), "text"), ("^" * cell_width(marked), role))


def explaining(fails: Journal, found: Blame, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings about the failing session that can explain the result, at most three.

    Those are about the requests that fail and the messages that decide; if nothing was found, about any message.
    """
    keys = {each.partition(" ")[0] for each in (*found.fails, *(edit.key for edit in found.edits))}
    exchanges = [each for each in fails.conversation.exchanges if each.method in keys or not keys]
    frames = {frame for each in exchanges for frame in (each.request_frame, each.answer_frame)}
    serious = [each for each in findings if each.severity is not Severity.HINT]
    return [each for each in serious if not each.frames or {*each.frames} & frames][:_MOST_FINDINGS]


def finding_lines(findings: Sequence[Finding]) -> Iterator[Line]:
    """Yield each finding with its fix, after an empty line."""
    for each in findings:
        role: Role = "error" if each.severity is Severity.ERROR else "warning"
        yield ()
        yield ((f"{each.severity.value} {each.id}: ", role), (visible(each.sentence, limit=400), "text"))
        if each.fix:
            yield ((f"  → {visible(each.fix, limit=400)}", "text"),)


def changed_on_the_way(fails: Journal) -> Iterator[str]:
    """Yield what a proxy has changed in the failing session and is not played, each as a sentence."""
    methods = {frame: e.method for e in fails.conversation.exchanges for frame in (e.request_frame, e.answer_frame)}
    changes = [each for edits in fails.edits.values() for each in edits if each.act in _CHANGES]
    for each in changes[:_MOST_NAMED]:
        who = f"the {each.by.replace(':', ' ')} of the tap" if ":" in each.by else "a person at the tap"
        what = methods.get(each.of, "a message")
        yield f"{who} changed {what} on its way ({each.act}, entry {each.of}); here it is played as it was sent"


def not_tried(
    player: ScriptPlayer, recorded: Journal, fails: ClientScript, works: ClientScript, *, plays_commands: bool
) -> Iterator[str]:
    """Yield what differs, or may differ, between the sides and is not played, each as a sentence."""
    yield from changed_on_the_way(recorded)
    if fails.environment is not None and works.environment is not None:
        for name, one, other in (("working", works, fails), ("failing", fails, works)):
            mine = {*one.environment} - {*other.environment}  # type: ignore[misc]
            unknown = sorted(each for each in mine if player.value_of(each) is None)
            if unknown:
                yield (
                    f"only the {name} side sets {_listed(unknown)}; a capture holds no values: "
                    f"give {'it' if len(unknown) == 1 else 'them'} with -e NAME=VALUE"
                )
    for name, side in (("failing", fails), ("working", works)):
        if side.cwd and side.environment is not None and not os.path.isdir(side.cwd):
            yield f"the {name} side ran in {side.cwd}, which does not exist here"
    if not plays_commands and fails.argv and works.argv and fails.argv[1:] != works.argv[1:]:
        yield (
            f"the recorded commands differ ({_command(fails)} and {_command(works)}); --recorded-commands starts "
            "each side with its own"
        )
    masked = {
        name.lower()
        for each in (fails, works)
        for step in each.steps
        for name, value in step.headers
        if is_masked(value)
    }
    if hidden := sorted(masked - {"mcp-session-id"}):
        yield f"a capture holds no credentials: give {_listed(hidden)} with -H 'NAME: VALUE'"
    if fails.inherited is None or works.inherited is None:
        yield "not in these captures: umask, signal mask, open descriptors, and whether stderr is a terminal"
    yield "not in a capture: the clock, values of variables that both sides set, files and network of the machine"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _command(script: ClientScript) -> str:
    import shlex

    return f"`{shlex.join(script.argv)}`"


def as_data(found: Blame) -> dict[str, Any]:
    return {
        "end": found.end.value,
        "sentence": sentence(found),
        "edits": [{"label": each.label, "message": each.key} for each in found.edits],
        "instead": [{"label": each.label, "message": each.key} for each in found.instead],
        "fails": found.fails,
        "works": found.works,
        "messages": [
            {"key": each.what, "fails": each.fails and each.fails.whole, "works": each.works and each.works.whole}
            for each in decisive_pairs(found)
        ],
        "compared": found.compared,
        "runs": found.runs,
        "seconds": round(found.seconds, 1),
        "note": found.note,
    }
