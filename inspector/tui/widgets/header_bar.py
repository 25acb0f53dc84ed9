"""The header: who is spoken with and how it stands, and the screens there are.

It is asked thirty times a second to look again, so it compares a handful of things and paints only what has
changed; figures that run are painted ten times a second at most. Where room is short the least important goes
first: the server's name, the state and the screens stay.
"""

from collections.abc import Callable, Mapping
from typing import Any

from textual.message import Message

from inspector.protocol import peek
from inspector.protocol.extensions import SKILLS, declares
from inspector.protocol.log_levels import LOG_MESSAGE
from inspector.protocol.things import LISTS
from inspector.session.desk import TicketState
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import clock, human_duration, one_line
from inspector.viewmodels.words import TRANSPORTS

_TICKS = 3
"""Figures that run are painted at every third look."""
_LONGEST_NAME = 40
_TOGETHER = {"resources": ("resources", "templates")}
"""Lists that one screen shows as one."""
_ALWAYS = ("traffic", "tools", "server")
"""Screens whose tabs stay where room is short; the digits of the others work all the same."""
INSECURE = "Certificates are not checked: whoever is in between can read along."


class HeaderBar(ItemBar):
    """Two lines, and a third while a warning must last."""

    class ScreenChosen(Message):
        """The tab of a screen was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, subject: Subject, *, shown: str = "traffic", id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._subject = subject
        self._chosen = shown
        self._state: tuple[Any, ...] = ()
        self._figures: tuple[int, ...] = ()
        self._ticks = 0
        self._look()

    @property
    def subject(self) -> Subject:
        """What it tells of."""
        return self._subject

    @property
    def shown(self) -> str:
        """The screen whose tab is open."""
        return self._chosen

    @shown.setter
    def shown(self, name: str) -> None:
        self._chosen = name
        self._look()

    def rebind(self, subject: Subject) -> None:
        """Tell of another conversation."""
        self._subject = subject
        self._look()

    def sync(self) -> None:
        """Look again."""
        self._ticks += 1
        if self._state != _state(self._subject) or (self._ticks >= _TICKS and self._figures != _figures(self._subject)):
            self._look()

    def pressed(self, name: str) -> None:
        """Tell that a tab was clicked."""
        self.post_message(self.ScreenChosen(name))

    def _look(self) -> None:
        subject = self._subject
        self._state, self._figures, self._ticks = _state(subject), _figures(subject), 0
        self.show((_first_line(subject), _second_line(subject, self._chosen), *_warnings(subject)))


def _state(subject: Subject) -> tuple[Any, ...]:
    """What is told at once when it changes. Openings and listings are replaced, never changed."""
    journal = subject.journal
    listings = journal.conversation.catalogue.listings
    return (
        subject.stage,
        id(subject.opening),
        id(journal.connection),
        subject.listing,
        subject.why,
        id(journal.surroundings.unreachable),
        journal.recording,
        journal.backpressure,
        journal.notices,
        subject.desk_changes,
        *map(id, listings.values()),
    )


def _figures(subject: Subject) -> tuple[int, ...]:
    """What may run: the number of entries, and the tenths of a second that connecting has taken."""
    checks = subject.checks_so_far
    return subject.journal.count, _waited_ns(subject) // 100_000_000, checks.changes if checks is not None else 0


def _waited_ns(subject: Subject) -> int:
    return subject.now_ns - subject.journal.started_ns if subject.stage is Stage.CONNECTING else 0


def _first_line(subject: Subject) -> Line:
    opening = subject.opening
    server: Any = opening.server if opening else {}
    name = one_line(peek.text(server, "name") or subject.about.label, _LONGEST_NAME)
    version = one_line(peek.text(server, "version") or "", 16)
    left = [Item((("mcp-inspect ", "title"),), rank=5), Item(((name, "strong"),))]
    if version:
        left.append(Item(((version, "muted"),), rank=4))
    fact = subject.journal.connection
    if fact is not None:
        left.append(_quiet(TRANSPORTS.get(fact.transport, fact.transport), 3))
    if opening is not None:
        left += [_quiet(opening.revision.date, 1), _quiet(f"{opening.era}", 2)]
    right = [Item(tuple(_stage(subject)))]
    if subject.listing:
        right.insert(0, Item(((f"{glyphs().pending} listing {subject.listing}", "pending"),), rank=6))
    return Line(tuple(left), tuple(right), gap=1, inset=1)


def _quiet(words: str, rank: int) -> Item:
    return Item(((f"{glyphs().note} ", "faint"), (one_line(words, 24), "muted")), rank=rank)


def _stage(subject: Subject) -> list[Span]:
    signs = glyphs()
    match subject.stage:
        case Stage.CONNECTING:
            tenths = _waited_ns(subject) // 100_000_000 * 100_000_000
            return [(f"{signs.pending} connecting {human_duration(tenths) if tenths else ''}".rstrip(), "pending")]
        case Stage.OPEN if (silent := subject.journal.surroundings.unreachable) is not None:
            since = clock(silent.wall_ns).partition(".")[0]
            return [(f"{signs.error} no response since {since}", "error")]
        case Stage.OPEN:
            return [(f"{signs.connected} connected", "ok")]
        case Stage.CLOSED:
            return [(f"{signs.disconnected} closed", "warning" if subject.why else "muted")]
        case Stage.FAILED:
            return [(f"{signs.error} not connected", "error")]
        case Stage.LOADING:
            return [(f"{signs.pending} reading", "pending")]
        case Stage.RECORDED if subject.moment_shown == 0:
            return [(f"{signs.closed} before its first entry", "warning")]
        case Stage.RECORDED if subject.moment_shown is not None:
            return [(f"{signs.closed} as at #{subject.moment_shown:,}", "warning")]
        case Stage.RECORDED:
            return [(f"{signs.closed} {'being recorded' if subject.grows else 'recorded'}", "accent")]


def _second_line(subject: Subject, chosen: str) -> Line:
    screens = (action for action in keys.ACTIONS if _has_tab(subject, action, chosen))
    left = tuple(_tab(subject, action, chosen) for action in screens if _is_there(subject, action, chosen))
    return Line(left, _recording(subject), gap=0, says_more=True)


def _is_there(subject: Subject, action: keys.Action, chosen: str) -> bool:
    """Whether a screen has a tab: some come with the first thing to show there."""
    name = action.id.removeprefix("screen.")
    return name == chosen or name not in _WHEN or _WHEN[name](subject)


def _has_log(subject: Subject) -> bool:
    return bool(subject.journal.stderr_tail) or LOG_MESSAGE in subject.journal.store.method_names


def _has_tasks(subject: Subject) -> bool:
    return bool(subject.journal.conversation.tasks.all)


def _has_findings(subject: Subject) -> bool:
    checks = subject.checks_so_far
    return checks is not None and any(checks.counts.values())


_WHEN: Mapping[str, Callable[[Subject], bool]] = {"log": _has_log, "tasks": _has_tasks, "findings": _has_findings}
"""Screens without a tab until there is something on them; their digits work all the same."""


_URGENT = ("inbox", "findings")
"""Screens whose tab stays while there is something to tell of them."""
_IN_SIGHT = {"raw", "network", "sessions"}
"""Screens with a tab only while they are in sight."""


def _has_tab(subject: Subject, action: keys.Action, chosen: str) -> bool:
    """Whether a screen stands among the tabs: that of skills where the server has some, others while in sight."""
    if action.id == "screen.skills" and chosen != "skills":
        return subject.opening is not None and declares(subject.opening.capabilities, SKILLS)
    name = action.id.removeprefix("screen.")
    return action.id.startswith("screen.") and (name not in _IN_SIGHT or name == chosen)


def _tab(subject: Subject, action: keys.Action, chosen: str) -> Item:
    name = action.id.removeprefix("screen.")
    here = name == chosen
    key: tuple[Span, ...] = (
        (glyphs().cursor if here else " ", "accent"),
        (action.keys[0], "accent" if here else "faint"),
    )
    label: Span = (f" {action.label}", "strong" if here else "muted")
    badge = _badge(subject, name)
    faults = _faults(subject, name)
    counted: tuple[Span, ...] = ((" ", "text"), badge, *faults) if badge[0] else ()
    end: Span = ("  ", "text")
    asks = name in _URGENT and badge[0]
    rank = 0 if here or asks or name in _ALWAYS else 2 if name in _WHEN else 1
    close: Span = (" ", "text")
    told = counted if here or badge[1] != "faint" else faults  # a mere number is on the screen itself, too
    short = (*key, label, *told, close)
    shortest = (*key, *told, close) if not here and (rank or asks) else ()
    return Item((*key, label, *counted, end), name=name, rank=rank, chosen=here, short=short, shortest=shortest)


def _badge(subject: Subject, name: str) -> Span:
    """How many there are of what a screen shows, or that something is wrong there; "" for nothing to say."""
    if name == "traffic":
        return f"{subject.journal.count:,}", "faint"
    if name in LISTS:
        known = subject.journal.conversation.catalogue.listings
        listings = [known[kind] for kind in _TOGETHER.get(name, (name,)) if known[kind].asked]
        return f"{sum(len(listing.items) for listing in listings):,}" if listings else "", "faint"
    if name == "inbox":
        waiting = sum(ticket.state is TicketState.WAITING for ticket in subject.tickets) or _waited(subject)
        return f"{glyphs().event} {waiting}" if waiting else "", "warning"
    if name == "tasks":
        return _running(subject)
    if name == "findings":
        return _found(subject)
    if name == "server":
        if subject.stage is Stage.FAILED:
            return glyphs().error, "error"
        return glyphs().warning if subject.opening and subject.opening.warnings else "", "warning"
    return "", "faint"


def _faults(subject: Subject, name: str) -> tuple[Span, ...]:
    """In how many of the things that a screen lists checks have found errors."""
    checks = subject.checks_so_far if name in LISTS else None
    wrong = checks.faulty(name) if checks is not None else 0
    return ((f" {glyphs().error}{wrong:,}", "error"),) if wrong else ()


def _found(subject: Subject) -> Span:
    """How many errors checks have found, else how many warnings."""
    checks = subject.checks_so_far
    counts = checks.counts if checks is not None else {}
    if errors := counts.get("error"):
        return f"{glyphs().error} {errors:,}", "error"
    warnings = counts.get("warning")
    return (f"{glyphs().warning} {warnings:,}", "warning") if warnings else ("", "faint")


def _waited(subject: Subject) -> int:
    """How many questions waited at the moment of a recording that is shown."""
    if subject.moment_shown is None:
        return 0
    from inspector.viewmodels.recorded_questions import standing_of

    journal = subject.journal
    return sum(standing_of(each, journal, goes_on=True).waits for each in journal.conversation.questions)


def _running(subject: Subject) -> Span:
    """How many tasks run."""
    running = sum(not task.ended for task in subject.journal.conversation.tasks.all)
    return f"{glyphs().pending} {running}" if running else "", "pending"


def _recording(subject: Subject) -> tuple[Item, ...]:
    signs, journal = glyphs(), subject.journal
    items: list[Item] = []
    if journal.backpressure:
        items.append(Item(((f"{signs.frozen} waiting for the disk  ", "warning"),), rank=1))
    if journal.loaded:
        return ()
    if not journal.recording or journal.capture_path is None:
        return (*items, Item(((f"{signs.disconnected} not recorded ", "muted"),), rank=4))
    name = one_line(journal.capture_path.name, 60)
    return (
        *items,
        Item(((f"{signs.recording} ", "error"),), rank=2),
        Item((("recording ", "muted"),), rank=4),
        Item(((name + " ", "faint"),), rank=5),
    )


def _warnings(subject: Subject) -> list[Line]:
    """What must stay in sight, in one line: the gravest, and how many more there are."""
    opened = subject.journal.connection
    is_insecure = subject.about.insecure or (opened is not None and opened.insecure)
    found = [*([INSECURE] if is_insecure else ()), *subject.journal.notices]
    if not found:
        return []
    said = Item(((f"{glyphs().warning} ", "warning"), (one_line(found[0], 300), "warning")))
    more = Item(((f"{len(found) - 1} more on screen 6", "muted"),))
    return [Line((said,), (more,) if len(found) > 1 else (), inset=1, grave=True)]
