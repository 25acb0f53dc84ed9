"""Rules for stdio: blank lines, the end of the process, and members that occur twice.

What else a line on stdout may be that is not a message is for the diagnoses of bytes.
"""

import json
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import JSON_RPC, Severity
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import CheckMoment
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Eol
from inspector.text import cut

error, warning, hint = rules_of("stdio")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_WHOLE = 64 * 1024


@hint("Blank line on stdout", "frame")
def blank_line(case: CheckMoment) -> Iterator[Violation]:
    """Most clients skip it.

    Fix: Write nothing between messages.
    """
    frame = case.frame
    if frame is None or frame.channel is not Channel.STDOUT:
        return
    if not frame.payload.strip() and frame.eol is not Eol.NONE and case.state.is_first("blank-line"):
        yield Violation("a line is blank")


@hint("Process exited unexpectedly", "end")
def unexpected_exit(case: CheckMoment) -> Iterator[Violation]:
    """The server exited by itself with a failure code, or with open requests.

    Fix: Respond to open requests before the process exits, with exit code 0.
    """
    ended = _ended_by_itself(case)
    if ended is None or case.state.opening is None or case.state.process.provoked is not None:
        return
    n, fact = ended
    waiting = [each for each in case.state.requests.waiting() if each.cancelled is None]
    code = f"with code {fact.code}" if fact.code is not None else f"by {fact.signal}"
    if waiting:
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        sentence = f"the process exited {code} while {waiting[0].named} (id {waiting[0].id!r}){more} had no response"
        yield Violation(sentence, frames=(n, waiting[0].frame), instead=True, severity=_WARNING)
    elif fact.code != 0:
        yield Violation(f"the process exited {code}", frames=(n,), instead=True)


def _ended_by_itself(case: CheckMoment) -> tuple[int, ProcessFact] | None:
    asked_to = False
    for n, _, fact in case.state.process.facts:
        asked_to = asked_to or fact.event in (ProcessEvent.SIGNAL, ProcessEvent.STDIN_EOF)
        if fact.event is ProcessEvent.EXIT:
            return None if asked_to else (n, fact)
    return None


def _is_sampled(case: CheckMoment) -> bool:
    frame = case.frame
    return (
        frame is not None
        and len(frame.payload) <= _WHOLE
        and case.state.is_sampled(f"ambiguous-json {case.method[:80]}", 10, 100)
    )


@hint(
    "Duplicate member in a JSON object",
    "answer",
    "error",
    "request",
    "notification",
    topic=JSON_RPC,
    heavy=True,
    wanted=_is_sampled,
)
def ambiguous_json(case: CheckMoment) -> Iterator[Violation]:
    """Parsers take the first of two members with one name, the last, or reject both.

    Fix: Write each member once.
    """
    twice: list[str] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice.extend(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        return found

    try:
        json.loads(case.payload, object_pairs_hook=keep)
    except (ValueError, RecursionError):
        return
    if twice:
        yield Violation(f"the member {cut(twice[0], 60)!r} occurs twice in one object")
