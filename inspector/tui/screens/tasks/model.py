"""Rows and facts of tasks: who runs a task, its state, its history and its result.

Ids, states and messages are shown as received; violations of the specification are shown with them. The time to live
is counted from when the task became known here, because the clocks of both sides differ.
"""

from collections.abc import Iterable

from inspector import text
from inspector.capture.journal import Journal
from inspector.present import spans
from inspector.present.spans import Fact, Line, Section, Span, fact, lay
from inspector.present.words import state_of, state_words
from inspector.protocol.tracking.tasks import Task, TaskFault

_WIDE_FROM = 90
_STATE, _TARGET, _ID, _AGE, _TTL, _POLL, _WHO = 17, 17, 10, 9, 9, 7, 13
_SECOND = 1_000_000_000


def task_name(task: Task) -> str:
    """Return the tool that it runs, else the method that created it; safe to show."""
    return text.visible(task.target or task.method, limit=200) or "?"


def task_owner(task: Task) -> str:
    """Return "server" or "client"."""
    return "server" if task.by_server else "client"


def age_ns(task: Task, now_ns: int) -> int:
    """Return how long it has been running, or ran."""
    end = task.ended_ns if task.ended_ns is not None else task.heard_ns if task.lost else now_ns
    return max(0, end - task.seen_ns)


def left_of_ttl(task: Task, now_ns: int) -> str:
    """Return the remaining time to live."""
    if task.ttl_ms is None:
        return "no limit"
    left = task.seen_ns + min(task.ttl_ms, 1e15) * 1e6 - now_ns
    return text.human_duration(int(left)) if left > 0 else "expired"


def titles(width: int) -> list[Span]:
    """Return the column titles."""
    names = [("State", _STATE), ("Call", _TARGET)]
    if width >= _WIDE_FROM:
        names += [("ID", _ID), ("Age", _AGE), ("TTL left", _TTL), ("Poll", _POLL), ("Runs on", _WHO)]
    else:
        names += [("Age", _AGE)]
    return lay([*[(text.pad(name, cells), "muted") for name, cells in names], ("Status message", "muted")], width)


def row(task: Task, now_ns: int, width: int, *, followed: bool = False) -> list[Span]:
    """Return one task in exactly `width` cells."""
    state, role = state_of(task)
    cells: list[Span] = [
        (text.pad(text.fit(state, _STATE - 1), _STATE), role),
        (text.pad(text.fit(task_name(task), _TARGET - 1), _TARGET), "target"),
    ]
    age: Span = (text.pad(text.human_duration(age_ns(task, now_ns)), _AGE), "text")
    if width >= _WIDE_FROM:
        poll = "" if task.poll_ms is None else _milliseconds(task.poll_ms)
        who = task_owner(task) + (f" {spans.CONNECTED}" if followed else "")
        cells += [
            (text.pad(text.one_line(task.id, _ID - 1), _ID), "muted"),
            age,
            (text.pad(left_of_ttl(task, now_ns), _TTL), "muted"),
            (text.pad(poll, _POLL), "muted"),
            (text.pad(who, _WHO), "muted"),
        ]
    else:
        cells.append(age)
    if task.faults:
        cells.append((f"{spans.WARNING} {text.counted(len(task.faults), 'fault')}  ", "warning"))
    return lay([*cells, (text.visible(task.message, limit=300), "text")], width)


def sections(journal: Journal, task: Task, now_ns: int, *, followed: bool = False) -> list[Section]:
    """Return everything known about a task except its result."""
    found = [Section("Task", tuple(_facts(journal, task, now_ns, followed))), Section("History", (), _history(task))]
    if task.faults:
        found.append(Section("Defects", lines=tuple(map(_fault, task.faults))))
    return found


def _fault(fault: TaskFault) -> Line:
    return (f"{spans.WARNING} {text.visible(fault.what, limit=500)}", "warning"), _at(fault.frame)


def _facts(journal: Journal, task: Task, now_ns: int, followed: bool) -> Iterable[Fact]:
    state, role = state_of(task)
    yield Fact("state", state, role)
    if task.message:
        yield fact("message", task.message)
    yield Fact("call", task_name(task), "target")
    yield fact("id", task.id, "strong")
    yield Fact("runs on", task_owner(task) + (", polled" if followed else ""))
    age = age_ns(task, now_ns)
    yield Fact("age", f"{text.human_duration(age)} total" if task.ended else f"{age // _SECOND:,} s")
    yield Fact("ttl", "no limit, or not reported" if task.ttl_ms is None else _kept(task.ttl_ms, task, now_ns))
    yield Fact("poll every", "not reported" if task.poll_ms is None else _milliseconds(task.poll_ms))
    yield Fact("polled", text.counted(task.polls, "time"))
    for name, value in (("created", task.created_at), ("updated", task.updated_at)):
        if value:
            yield fact(name, value, "muted")
    if task.exchange is not None:
        yield Fact("request", f"#{journal.conversation.exchanges[task.exchange - 1].request_frame}", "muted")
    if task.cancel_asked is not None:
        asked = journal.conversation.exchanges[task.cancel_asked - 1]
        yield Fact("cancel requested", f"#{asked.request_frame}", "warning")


def _kept(ttl_ms: float, task: Task, now_ns: int) -> str:
    left = task.seen_ns + min(ttl_ms, 1e15) * 1e6 - now_ns
    rest = f"{int(left) // _SECOND:,} s left" if left > 0 else "expired"
    return f"{_milliseconds(ttl_ms)} from its creation, {rest}"


def _milliseconds(value: float) -> str:
    return text.human_duration(int(min(value, 1e15) * 1e6))


def _history(task: Task) -> tuple[Line, ...]:
    lines: list[Line] = []
    for at, step in enumerate(task.history):
        after = text.human_duration(max(0, step.time_ns - task.seen_ns)) if at else "start"
        state, role = state_words(step.state)
        message = text.visible(step.message, limit=500)
        lines.append(
            ((text.pad(after, 10), "muted"), (text.pad(state, _STATE), role), (message, "text"), _at(step.frame))
        )
        if at == 0 and task.left_out:
            lines.append(((f"{spans.PENDING} {task.left_out:,} steps not shown", "muted"),))
    return tuple(lines)


def _at(frame: int) -> Span:
    return f"  #{frame}", "faint"
