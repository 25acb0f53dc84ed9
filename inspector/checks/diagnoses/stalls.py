"""Diagnoses of hangs: why a server that responded before no longer does."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from inspector.checks.diagnoses.process import cause_in
from inspector.checks.findings import Confidence
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.state import CheckMoment, ConnectionState, TrackedRequest
from inspector.checks.state_updates import AFTER
from inspector.protocol.facts import Awaited, ChildState, ProcessActivity, ProcessEvent
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.revisions.openings import OPENING
from inspector.text import cut

error, warning, _ = diagnoses_of("")

_HELD_NS, _SOON_NS = 2_000_000_000, 2_000_000_000
_MARGIN_S = 0.5
_LOOKED = (ProcessEvent.STDIN_EOF, ProcessEvent.STALL)
_IDLE_PERCENT, _BUSY_PERCENT = 3, 70
"""CPU time per time, of one core."""


class _Stall(NamedTuple):
    n: int
    asked: TrackedRequest
    """The newest request without a response."""
    children: tuple[ChildState, ...]
    """Those that were started since the request."""
    awaits: tuple[Awaited, ...]
    """Connections that may explain it."""
    process: ProcessActivity


class _Notes(msgspec.Struct):
    at_eof: tuple[TrackedRequest, int, float] | None = None
    """A request whose response was sent when stdin was closed, the entry of that, and the seconds until then."""


def response_at_eof(case: CheckMoment) -> int | None:
    """Return when stdin was closed, if a response waited for that; else None."""
    asked, processes = case.asked, case.state.process.facts
    if asked is None or case.frame is None or case.frame.channel is not Channel.STDOUT or len(processes) < 2:
        return None
    closed = next((time_ns for _, time_ns, fact in processes if fact.event is ProcessEvent.STDIN_EOF), None)
    waited = closed is not None and closed - asked.time_ns >= _HELD_NS and case.time_ns - closed < _SOON_NS
    return closed if waited else None


def computed_at_eof(state: ConnectionState) -> bool:
    """Whether the process was computing when stdin was closed, so that a response may have been near."""
    return any(fact.event is ProcessEvent.STDIN_EOF and fact.was_computing for _, _, fact in state.process.facts)


def computed_at_stall(state: ConnectionState) -> bool:
    """Whether the process was computing while a request had no response."""
    return any(fact.event is ProcessEvent.STALL and fact.was_computing for _, _, fact in state.process.facts)


def unread_at_eof(state: ConnectionState) -> int:
    """Return how many bytes nothing had read when stdin was closed; 0 if some were read, or if that is not known."""
    facts = (fact for _, _, fact in state.process.facts if fact.event is ProcessEvent.STDIN_EOF)
    return max((fact.state.unread for fact in facts if fact.state is not None), default=0)


def awaited_at_first(state: ConnectionState) -> str:
    """Return what the server waited for when it had not yet sent anything, as a clause; "" if unknown."""
    facts = (fact.state for _, _, fact in state.process.facts if fact.event in _LOOKED)
    waited_s = (state.last_ns - state.began_ns) / 1e9
    awaits = (each for found in facts if found is not None for each in found.awaits)
    return next((each.clause for each in awaits if each.may_explain(waited_s)), "")


def responded_before(state: ConnectionState, closed_ns: int) -> bool:
    """Whether the server had sent a message before stdin was closed, so that its output is not held back."""
    return state.first_message_ns is not None and state.first_message_ns < closed_ns


def _stalls(state: ConnectionState) -> Iterator[_Stall]:
    everything = state.requests.all
    for n, time_ns, fact in state.process.facts:
        if fact.event is not ProcessEvent.STALL or fact.state is None:
            continue
        waiting = [each for each in everything if each.sender is Direction.TO_SERVER and each.frame < n]
        waiting = [each for each in waiting if each.answered is None and each.method not in OPENING]
        if waiting:
            asked = max(waiting, key=lambda each: each.frame)
            seconds = (time_ns - asked.time_ns) / 1e9 + _MARGIN_S
            children = tuple(each for each in fact.state.children if each.age_s <= seconds)
            awaits = tuple(each for each in fact.state.awaits if each.may_explain(seconds))
            yield _Stall(n, asked, children, awaits, fact.state)


def was_idle(state: ConnectionState, asked: TrackedRequest) -> bool:
    """Whether the process did nothing while a request had no response, and waited for nothing that the system shows."""
    found = [each for each in _stalls(state) if each.asked is asked]
    return (
        bool(found)
        and not any(each.children or each.process.awaits or each.process.runnable for each in found)
        and all(each.process.cpu_percent is not None and each.process.cpu_percent < _IDLE_PERCENT for each in found)
    )


@error(
    "Child process holds the server's stdin",
    "answer",
    "error",
    "late",
    "end",
    topic="stdio",
    confidence=Confidence.LIKELY,
    needs=AFTER,
)
def child_holds_stdin(case: CheckMoment) -> Iterator[Violation]:
    """A child that was started during a call has the server's stdin, or the response came only when stdin was closed.

    Such a child waits for input there, and takes the client's next requests.

    Fix: Start children with a stdin of their own: stdin=subprocess.DEVNULL (Python), stdio: ['ignore', …] (Node).
    """
    state, notes = case.state, case.state.notes(_Notes)
    if case.message is not None:
        closed = response_at_eof(case)
        if closed is not None and case.asked is not None and responded_before(state, closed):
            notes.at_eof = notes.at_eof or (case.asked, case.n, (closed - case.asked.time_ns) / 1e9)
        return
    for n, asked, children, *_ in _stalls(state):
        holds = next((each for each in children if each.stdin), None)
        if holds is not None:
            sentence = f"while {asked.named} had no response, its child process {holds.pid} ({cut(holds.command, 80)})"
            yield Violation(f"{sentence} had the server's stdin open", frames=(asked.frame, n), instead=True)
            return
    if notes.at_eof is not None:
        asked, n, waited = notes.at_eof
        sentence = f"the response to {asked.named} was sent when stdin was closed, {waited:.0f} s after the request,"
        sentence = f"{sentence} although earlier responses were not held back: something read stdin to its end"
        yield Violation(sentence, frames=(n, asked.frame), instead=True)


@warning("Server waits for another service", "end", confidence=Confidence.LIKELY)
def server_waits_for_service(case: CheckMoment) -> Iterator[Violation]:
    """While a request had no response, a connection that was used since then had received nothing since it sent.

    A guess if it had received something, as with TLS. Known on Linux only. Connections of child processes count.

    Fix: See why that service is silent; give requests to it a timeout below the client's, and report the failure.
    """
    for n, asked, children, awaits, process in _stalls(case.state):
        if awaits and not process.runnable and not any(each.stdin for each in children):
            sure = None if not awaits[0].answered else Confidence.GUESS
            sentence = f"while {asked.named} had no response, {', and '.join(each.clause for each in awaits[:3])}"
            yield Violation(sentence, frames=(asked.frame, n), instead=True, confidence=sure)
            return


@warning("Server waits for a child process", "end", confidence=Confidence.LIKELY)
def child_process_runs(case: CheckMoment) -> Iterator[Violation]:
    """A child that was started during a request without a response was still running, without the server's stdin.

    Fix: Give the child a timeout and a stdin of its own, and read its stdout and stderr while it runs, to their ends.
    """
    for n, asked, children, awaits, process in _stalls(case.state):
        child = next((each for each in children if not each.stdin), None)
        if child and not awaits and not process.runnable and not any(each.stdin for each in children):
            sentence = f"while {asked.named} had no response, its child process {child.pid} was running"
            sentence += f": {cut(child.command, 120)}" if child.command else ""
            yield Violation(sentence, frames=(asked.frame, n), instead=True)
            return


@error("Server waits for a response of the client", "end", topic="basic")
def server_request_pending(case: CheckMoment) -> Iterator[Violation]:
    """A request of the server had no response while one of ours timed out.

    Fix: Answer the request (--responses, --capability), or let the server go on without it after a time.
    """
    requests = case.state.requests
    given_up = [each for each in requests.done.values() if each.cancelled is not None and each.answered is None]
    pending = [each for each in requests.open.values() if each.sender is Direction.FROM_SERVER]
    for asked in given_up:
        held = next((each for each in pending if each.frame > asked.frame and each.time_ns < asked.cancelled_ns), None)
        if asked.sender is Direction.TO_SERVER and held is not None:
            sentence = f"{asked.named} had no response while the server's own {held.named} had none either"
            yield Violation(sentence, frames=(held.frame, asked.frame), instead=True)
            return


@warning("Server computes without a response", "end", confidence=Confidence.LIKELY)
def server_busy(case: CheckMoment) -> Iterator[Violation]:
    """The server used the CPU when a request had no response: it computes, or loops.

    Fix: Find the loop with a profiler (py-spy dump, node --inspect), and send progress while it works.
    """
    for n, asked, _, _, process in _stalls(case.state):
        cpu = process.cpu_percent or 0.0
        if process.runnable or cpu >= _BUSY_PERCENT:
            sentence = f"the server was computing while {asked.named} had no response ({cpu:.0f} % of a CPU)"
            yield Violation(sentence, frames=(asked.frame, n), instead=True)
            return


@warning("Earlier request blocks later ones", "end", confidence=Confidence.LIKELY)
def requests_serialized(case: CheckMoment) -> Iterator[Violation]:
    """Two requests timed out, of which the second is one that servers answer at once.

    Fix: Handle requests concurrently, so that one that waits does not block others.
    """
    requests = [each for each in case.state.requests.done.values() if each.sender is Direction.TO_SERVER]
    silent = [each for each in requests if each.cancelled is not None and each.answered is None]
    first = min(silent, key=lambda each: each.frame, default=None)
    for each in silent:
        if first is not None and each is not first and each.method in ("ping", "tools/list"):
            sentence = f"{each.method} has no response since {first.named} was left without one"
            yield Violation(sentence, frames=(first.frame, each.frame), instead=True)
            return


@error("Server exits when a request is cancelled", "end", topic="basic/utilities/cancellation")
def exit_on_cancellation(case: CheckMoment) -> Iterator[Violation]:
    """The process ended by itself right after notifications/cancelled, while stdin was open.

    Fix: Ignore notifications/cancelled for what cannot be cancelled; end the request, not the server.
    """
    state = case.state
    facts = {fact.event: (n, time_ns) for n, time_ns, fact in state.process.facts}
    ended, closed = facts.get(ProcessEvent.EXIT), facts.get(ProcessEvent.STDIN_EOF)
    if ended is None or (closed is not None and closed[1] < ended[1]) or ProcessEvent.SIGNAL in facts:
        return
    for asked in state.requests.done.values():
        if asked.cancelled is not None and asked.sender is Direction.TO_SERVER:
            if 0 <= ended[1] - asked.cancelled_ns < _SOON_NS:
                logged = cause_in(state)
                if logged is not None and (logged[2] or logged[1].startswith("SystemExit")):
                    return  # the request had ended the server, which the next message only woke up
                seconds, words = (ended[1] - asked.cancelled_ns) / 1e9, f": {logged[1]}" if logged is not None else ""
                sentence = f"the server exited {seconds:.1f} s after {asked.named} was cancelled{words}"
                yield Violation(sentence, frames=(asked.cancelled, ended[0]), instead=True)
                return
