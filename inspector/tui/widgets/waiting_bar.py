"""Two lines above the footer while something hangs: who waits on whom, what is known of it, and the key that helps.

It looks three times a second, and only then; the programs of a child are looked at once a second while it is waited
for. Nothing is shown before something has been in flight for two seconds.
"""

import time

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.session.desk import Ticket, TicketState
from inspector.session.proposals import ProposalState
from inspector.transports.process_tree import Process, processes_of
from inspector.tui import keys
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.roles import Span
from inspector.viewmodels.waits import Asked, Seen, Wait, wait_of

_WAITING = (Stage.CONNECTING, Stage.OPEN)
_LOOK_S = 1.0
"""Between two looks at a child's programs."""


class WaitingBar(Vertical):
    """Hidden while nothing hangs."""

    DEFAULT_CSS = """
    WaitingBar { display: none; height: auto; max-height: 2; }
    WaitingBar.-waits { display: block; }
    WaitingBar > StatusLine { background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._chain = StatusLine()
        self._known = StatusLine()
        self._programs = Programs()

    def compose(self) -> ComposeResult:
        """Who waits on whom, and what is known of it."""
        yield self._chain
        yield self._known

    def sync(self, subject: Subject | None) -> None:
        """Look again; None: nobody wants to know."""
        if not self._known.is_attached:
            return
        wait = self._look(subject) if subject is not None else None
        self.set_class(wait is not None, "-waits")
        if wait is None:
            self._programs.forget()
            return
        self._chain.show(list(wait.chain), _deeds(wait))
        self._known.display = bool(wait.known)
        self._known.show([("  ", "text"), *wait.known])

    def _look(self, subject: Subject) -> Wait | None:
        if not subject.can_act or subject.stage not in _WAITING:
            return None
        if subject.guide is not None and subject.guide.waiting is not None:
            return None  # a login is told of elsewhere
        asked = tuple(_asked(ticket) for ticket in subject.tickets if ticket.state is TicketState.WAITING)
        seen = Seen(subject.now_ns, subject.stage is Stage.CONNECTING, asked)
        if wait_of(subject.journal, seen) is None:
            return None
        running, busy = self._programs.of(_child(subject))
        return wait_of(subject.journal, Seen(seen.now_ns, seen.connecting, asked, running, busy))


class Programs:
    """What runs below a child, and how busy that is."""

    def __init__(self) -> None:
        self._at = 0.0
        self._cpu_s = 0.0
        self._running: tuple[Process, ...] = ()
        self._busy: float | None = None
        self._pid = 0

    def forget(self) -> None:
        """Nobody waits: the next look is the first."""
        self._at, self._running, self._busy = 0.0, (), None

    def of(self, pid: int) -> tuple[tuple[Process, ...], float | None]:
        """The programs, and how much of one processor they use; from the last look if that was just now."""
        now = time.monotonic()
        if not pid:
            return (), None
        if pid == self._pid and self._at and now - self._at < _LOOK_S:
            return self._running, self._busy
        running = processes_of(pid)
        cpu_s = sum(each.cpu_s for each in running)
        known = bool(self._at) and pid == self._pid and bool(running)
        self._busy = max(0.0, cpu_s - self._cpu_s) / (now - self._at) if known else None
        self._pid, self._at, self._cpu_s, self._running = pid, now, cpu_s, running
        return running, self._busy


def _asked(ticket: Ticket) -> Asked:
    proposal = ticket.proposal
    return Asked(ticket.question, of_model=proposal is not None and proposal.state is ProposalState.ASKING)


def _child(subject: Subject) -> int:
    """The process that was started last, if it runs; 0 otherwise."""
    for entry in reversed(subject.journal.processes):
        what = entry.what
        if isinstance(what, ProcessFact) and what.event in (ProcessEvent.SPAWN, ProcessEvent.EXIT):
            return what.pid if what.event is ProcessEvent.SPAWN else 0
    return 0


def _deeds(wait: Wait) -> list[Span]:
    spans: list[Span] = []
    for name in wait.deeds:
        action = keys.action(name)
        spans += [("  " if spans else "", "text"), (keys.key_name(action.keys[0]), "accent")]
        spans.append((f" {action.label.lower()}", "muted"))
    return spans
