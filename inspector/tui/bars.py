"""The header: server, state of the connection, and tabs of the screens.

It is updated thirty times a second, so it compares a few values and repaints only what has changed; running figures
are repainted at most ten times a second. Where space is short, the least important items are left out first: the
server's name, the state and the screens stay.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from inspector.present.server import other_client
from inspector.present.spans import Role, Span, clip
from inspector.present.waiting import Programs, WaitingRequest, WaitLine, WaitView, child_pid, wait_of
from inspector.present.words import TRANSPORTS
from inspector.protocol import peek
from inspector.protocol.listed_items import LISTS
from inspector.session.inbox import ProposalState, Ticket, TicketState
from inspector.text import cell_width, clock, human_duration, one_line
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.tabs import ALL, Tab, Tabs, TabState, tab_label
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ButtonBar, ItemBar, StatusLine, working_key

_TICKS = 3
"""Running figures are repainted at every third update."""
_LONGEST_NAME = 40
_TOGETHER = {"resources": ("resources", "templates")}
"""Lists that share one screen."""
INSECURE = "Certificates are not verified: the connection can be intercepted."


class HeaderBar(ItemBar):
    """Two lines, a third one for a tap that holds messages, and one for a permanent warning."""

    class ScreenChosen(Message):
        """The tab of a screen was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, subject: OpenConversation, *, shown: str = "traffic", id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._subject = subject
        self._chosen = shown
        self._state: tuple[Any, ...] = ()
        self._figures: tuple[int, ...] = ()
        self._ticks = 0
        self._badge: list[Span] = []
        self._working = ("", True)
        self._names_server = True
        self._look()

    @property
    def badge(self) -> list[Span]:
        """Text about messages held by a tap, shown on a separate line; empty if there are none."""
        return self._badge

    @badge.setter
    def badge(self, spans: list[Span]) -> None:
        if spans != self._badge:
            self._badge = spans
            self._look()

    @property
    def names_server(self) -> bool:
        """Whether the first line is shown: server, protocol version and state."""
        return self._names_server

    @names_server.setter
    def names_server(self, names: bool) -> None:
        if names is not self._names_server:
            self._names_server = names
            self._look()

    @property
    def subject(self) -> OpenConversation:
        """The conversation shown."""
        return self._subject

    @property
    def shown(self) -> str:
        """Name of the visible screen."""
        return self._chosen

    @shown.setter
    def shown(self, name: str) -> None:
        self._chosen = name
        self._look()

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation."""
        self._subject = subject
        self._look()

    def sync(self) -> None:
        """Update."""
        self._ticks += 1
        if (
            self._working != self._keys()
            or self._state != _state(self._subject)
            or (self._ticks >= _TICKS and self._figures != _figures(self._subject))
        ):
            self._look()

    def pressed(self, name: str) -> None:
        """Report a clicked tab."""
        self.post_message(self.ScreenChosen(name))

    def _look(self) -> None:
        subject = self._subject
        self._state, self._figures, self._ticks = _state(subject), _figures(subject), 0
        self._working = respond, are_digits_keys = self._keys()
        first = (_first_line(subject, respond),) if self._names_server else ()
        second = _second_line(subject, self._chosen, are_digits_keys=are_digits_keys)
        self.show((*first, second, *self._held(), *_warnings(subject)))

    def _keys(self) -> tuple[str, bool]:
        """Return the key that responds to the server, and whether digits show screens: a text field consumes them."""
        if not self.is_attached:
            return keys.shown_key("respond"), True
        return working_key(self.app, "respond"), bool(working_key(self.app, "screen.traffic"))

    def _held(self) -> list[BarLine]:
        return [BarLine((BarItem(tuple(self._badge)),), (), inset=1)] if self._badge else []


def _state(subject: OpenConversation) -> tuple[Any, ...]:
    """Return the state whose changes are shown at once. Openings and listings are replaced, never changed."""
    journal = subject.journal
    listings = journal.conversation.catalogue.listings
    return (
        subject.stage,
        id(subject.opening),
        id(journal.connection),
        subject.listing,
        subject.why,
        subject.grows,
        id(journal.surroundings.unreachable),
        journal.recording,
        journal.backpressure,
        journal.notices,
        subject.inbox.changes,
        *map(id, listings.values()),
    )


def _figures(subject: OpenConversation) -> tuple[int, ...]:
    """Return the running figures: entries, tenths of a second spent connecting, changes of the checks."""
    checks = subject.checks_so_far
    return subject.journal.count, _waited_ns(subject) // 100_000_000, checks.changes if checks is not None else 0


def _waited_ns(subject: OpenConversation) -> int:
    return subject.now_ns - subject.journal.started_ns if subject.stage is ConversationStage.CONNECTING else 0


class IdentityBar(ItemBar):
    """Title of one of two tabs side by side: its name, protocol version and state. A click focuses the tab."""

    DEFAULT_CSS = """
    IdentityBar { height: 1; }
    """

    def __init__(self, tab: Tab) -> None:
        super().__init__()
        self._tab = tab
        self._seen: tuple[Any, ...] = ()

    def sync(self, *, chosen: bool) -> None:
        """Update. `chosen`: whether the tab has the focus."""
        subject = self._tab.subject
        respond = working_key(self.app, "respond")
        seen = (respond, chosen, self._tab.name, _waited_ns(subject) // 100_000_000, *_state(subject))
        if seen != self._seen:
            self._seen = seen
            self.show([_first_line(subject, respond, (self._tab.name, chosen))])

    def on_click(self, event: events.Click) -> None:
        """Focus the tab."""
        self._tab.panels[self._tab.shown].take_focus()


def _first_line(subject: OpenConversation, respond: str, tab: tuple[str, bool] | None = None) -> BarLine:
    """Return name, protocol version and state; of a `tab` with its name and whether it is the current one.

    `respond` is the key that responds to a server request now.
    """
    opening = subject.opening
    server: Any = opening.server if opening else {}
    name = one_line(peek.text(server, "name") or subject.about.label, _LONGEST_NAME)
    version = one_line(peek.text(server, "version") or "", 16)
    left = [BarItem(((name, "strong"),))]
    if tab is not None:
        mark: Span = ("▌" if tab[1] else " ", "accent")
        left[:0] = [BarItem((mark, (one_line(tab[0], _LONGEST_NAME), "title" if tab[1] else "text")))]
        left[1:] = [_quiet(name, 3)] if name != tab[0] else []
    if version:
        left.append(BarItem(((version, "muted"),), rank=5))
    fact = subject.journal.connection
    if fact is not None:
        left.append(_quiet(TRANSPORTS.get(fact.transport, fact.transport), 4))
    if opening is not None:
        left += [_quiet(opening.revision.date, 2), BarItem(((f"({opening.era})", "muted"),), rank=6)]
        if client := other_client(opening):
            left.append(_quiet(f"{'as' if subject.journal.head.mode == 'client' else 'client'} {client}", 2))
    right = [*_waiting(subject, respond), BarItem(tuple(_stage(subject))), *_recording(subject)]
    if subject.listing:
        right.insert(0, BarItem(((f"{glyphs().pending} Listing {subject.listing}", "pending"),), rank=6))
    return BarLine(tuple(left), tuple(right), gap=1, inset=1)


def _waiting(subject: OpenConversation, respond: str) -> tuple[BarItem, ...]:
    """Return the number of server requests waiting for a response, and the key that shows the oldest."""
    waiting = sum(ticket.state is TicketState.WAITING for ticket in subject.inbox.tickets)
    if not waiting:
        return ()
    said: Span = (f"{glyphs().event} {waiting} waiting ", "warning")
    return (BarItem((said, (f"{respond}  ", "accent")), name="inbox"),)


def _quiet(words: str, rank: int) -> BarItem:
    return BarItem(((f"{glyphs().note} ", "faint"), (one_line(words, 24), "muted")), rank=rank)


def _stage(subject: OpenConversation) -> list[Span]:
    signs = glyphs()
    match subject.stage:
        case ConversationStage.CONNECTING:
            tenths = _waited_ns(subject) // 100_000_000 * 100_000_000
            return [(f"{signs.pending} Connecting {human_duration(tenths) if tenths else ''}".rstrip(), "pending")]
        case ConversationStage.OPEN if (silent := subject.journal.surroundings.unreachable) is not None:
            since = clock(silent.wall_ns).partition(".")[0]
            return [(f"{signs.error} No response since {since}", "error")]
        case ConversationStage.OPEN:
            return [(f"{signs.connected} Connected", "ok")]
        case ConversationStage.CLOSED:
            return [(f"{signs.disconnected} Disconnected", "warning" if subject.why else "muted")]
        case ConversationStage.FAILED:
            return [(f"{signs.error} Not connected", "error")]
        case ConversationStage.LOADING:
            return [(f"{signs.pending} Reading", "pending")]
        case ConversationStage.RECORDED if subject.grows and subject.moment_shown is None:
            return [(f"{signs.connected} Live {'tap' if subject.is_tapped else 'capture'}", "ok")]
        case ConversationStage.RECORDED if subject.moment_shown == 0:
            return [(f"{signs.closed} Replay before the first entry", "warning")]
        case ConversationStage.RECORDED if subject.moment_shown is not None:
            return [(f"{signs.closed} Replay at #{subject.moment_shown:,}", "warning")]
        case ConversationStage.RECORDED:
            return [(f"{signs.closed} Capture", "accent")]


def _second_line(subject: OpenConversation, chosen: str, *, are_digits_keys: bool) -> BarLine:
    shown = [action for action in keys.all_actions() if _has_tab(action, chosen)]
    return BarLine(tuple(_tab(subject, action, chosen, is_key=are_digits_keys) for action in shown), gap=0)


_SHORT = {"resources": "Res", "findings": "Find"}
"""Short names of screens, for narrow terminals."""
_SCREENS = frozenset(action.id for action in keys.SCREENS)


def _has_tab(action: keys.Action, chosen: str) -> bool:
    """Whether a screen has a tab: the nine always have one, others only while they are visible."""
    return action.id in _SCREENS or action.id == f"screen.{chosen}"


def _tab(subject: OpenConversation, action: keys.Action, chosen: str, *, is_key: bool) -> BarItem:
    """Return a tab in three forms.

    They are: with the count; with signs only and a short name; without the name. Where its key does not act, it is
    blank, so that nothing moves; without the name it stays, as the name.
    """
    name = action.id.removeprefix("screen.")
    here = name == chosen
    role: Role = "title" if here else "muted"
    opened: Span = ("[" if here else " ", "accent")
    closed: Span = ("]" if here else " ", "accent")
    digit: Span = (keys.key_name(action.keys[0]), "accent" if here else "faint")
    key: Span = digit if is_key else (" " * len(digit[0]), "text")
    label: Span = (f" {_SHORT.get(name, action.label)}", role)
    signs = [each for each in (_badge(subject, name), *_faults(subject, name)) if each[0]]
    counted = tuple((f" {text}", ink) for text, ink in signs)
    urgent = tuple(each for each in signs if each[1] != "faint")
    space: tuple[Span, ...] = ((" ", "text"),)
    if here:
        short = least = (opened, key, label, *urgent, closed, *space)
    else:
        short = (key, label, *urgent, *space)
        least = (digit, *urgent, *space)
    full = (opened, key, (f" {action.label}", role), *counted, closed, *space)
    return BarItem(full, name=name, chosen=here, short=short, shortest=least)


def _badge(subject: OpenConversation, name: str) -> Span:
    """Return the number of items of a screen, or a sign that something is wrong there; "" for neither."""
    if name == "traffic":
        return f"{subject.journal.count:,}", "faint"
    if name in LISTS:
        known = subject.journal.conversation.catalogue.listings
        listings = [known[kind] for kind in _TOGETHER.get(name, (name,)) if known[kind].asked]
        return f"{sum(len(listing.items) for listing in listings):,}" if listings else "", "faint"
    if name == "inbox":
        waiting = sum(ticket.state is TicketState.WAITING for ticket in subject.inbox.tickets) or _waited(subject)
        return f"{glyphs().event}{waiting}" if waiting else "", "warning"
    if name == "tasks":
        return _running(subject)
    if name == "findings":
        return _found(subject)
    if name == "server":
        if subject.stage is ConversationStage.FAILED:
            return glyphs().error, "error"
        return glyphs().warning if subject.opening and subject.opening.warnings else "", "warning"
    return "", "faint"


def _faults(subject: OpenConversation, name: str) -> tuple[Span, ...]:
    """Return the number of a screen's items in which checks have found errors."""
    if name == "traffic":
        failed = subject.journal.conversation.exchanges.failures.count(1)
        return ((f"{glyphs().error}{failed:,}", "error"),) if failed else ()
    checks = subject.checks_so_far if name in LISTS else None
    wrong = checks.faulty(name) if checks is not None else 0
    return ((f"{glyphs().error}{wrong:,}", "error"),) if wrong else ()


def _found(subject: OpenConversation) -> Span:
    """Return the number of errors found by checks; if there are none, the number of warnings."""
    checks = subject.checks_so_far
    counts = checks.counts if checks is not None else {}
    if errors := counts.get("error"):
        return f"{glyphs().error}{errors:,}", "error"
    warnings = counts.get("warning")
    return (f"{glyphs().warning}{warnings:,}", "warning") if warnings else ("", "faint")


def _waited(subject: OpenConversation) -> int:
    """Return how many server requests were waiting at the shown replay position."""
    if subject.moment_shown is None:
        return 0
    from inspector.tui.screens.inbox.model import recorded_state

    journal = subject.journal
    return sum(recorded_state(each, journal, goes_on=True).waits for each in journal.conversation.server_requests)


def _running(subject: OpenConversation) -> Span:
    running = sum(not task.ended for task in subject.journal.conversation.tasks.all)
    return f"{glyphs().pending}{running}" if running else "", "pending"


def _recording(subject: OpenConversation) -> tuple[BarItem, ...]:
    signs, journal = glyphs(), subject.journal
    if journal.loaded:
        return ()
    if not journal.recording or journal.capture_path is None:
        return (BarItem(((f" {signs.disconnected} Not recorded", "muted"),), rank=6),)
    behind = (BarItem(((f" {signs.frozen} Waiting for the disk", "warning"),), rank=1),) if journal.backpressure else ()
    return (*behind, BarItem(((f" {signs.recording}", "error"),), rank=2), BarItem((("Recording", "muted"),), rank=3))


def _warnings(subject: OpenConversation) -> list[BarLine]:
    """Return one line with the most serious warning and the number of others; it is always visible."""
    opened = subject.journal.connection
    is_insecure = subject.about.insecure or (opened is not None and opened.insecure)
    found = [*([INSECURE] if is_insecure else ()), *subject.journal.notices]
    if not found:
        return []
    said = BarItem(((f"{glyphs().warning} ", "warning"), (one_line(found[0], 300), "warning")))
    more = BarItem(((f"{len(found) - 1} more on screen {keys.action('screen.server').keys[0]}", "muted"),))
    return [BarLine((said,), (more,) if len(found) > 1 else (), inset=1, grave=True)]


# --- The line of tabs of an app with several conversations, with their common timeline first.


class ConversationBar(ItemBar):
    """One line; a click on a tab shows its conversation."""

    DEFAULT_CSS = """
    ConversationBar { height: 1; background: $surface; }
    """

    def __init__(self, tabs: Tabs, show_tab: Callable[[int], Awaitable[None]]) -> None:
        """`show_tab` shows a tab by its number."""
        super().__init__()
        self._tabs = tabs
        self._show_tab = show_tab

    def sync(self) -> None:
        """Update."""
        here = ALL if self._tabs.shows_timeline else self._tabs.current.number
        place = [ALL, *(tab.number for tab in self._tabs)].index(here)
        tabs = [_item(tab, abs(at - place), here=tab.number == here) for at, tab in enumerate(self._tabs, 1)]
        self.show([BarLine((_all(place), *tabs), _hint(), gap=0, says_more=True)])

    def pressed(self, name: str) -> None:
        """Show the clicked tab."""
        self.app.call_later(self._show_tab, int(name))


def _item(tab: Tab, distance: int, *, here: bool) -> BarItem:
    return BarItem(tab_label(state_of(tab), here=here), name=str(tab.number), rank=2 * distance, chosen=here)


def _all(distance: int) -> BarItem:
    key = keys.action("tabs.timeline").keys[0]
    spans: tuple[Span, ...] = ((f" {key}", "accent"), (" All ", "muted" if distance else "title"))
    return BarItem(spans, name=str(ALL), rank=min(1, distance), chosen=not distance)


def _hint() -> tuple[BarItem, ...]:
    key = keys.key_name(keys.action("tabs.next").keys[0])
    return (BarItem(((key, "accent"), (" next tab ", "faint")), rank=99),)


def state_of(tab: Tab) -> TabState:
    """Return the state of a conversation, as shown by its tab."""
    subject = tab.subject
    waiting = sum(ticket.state is TicketState.WAITING for ticket in subject.inbox.tickets)
    failed = subject.journal.conversation.exchanges.failures.count(1)
    sign = _sign(subject.stage, lost=bool(subject.why))
    if subject.stage is ConversationStage.OPEN and subject.journal.surroundings.unreachable is not None:
        sign = glyphs().error, "error"
    return TabState(tab.name, sign, failed, waiting)


def _sign(stage: ConversationStage, *, lost: bool) -> Span:
    signs = glyphs()
    match stage:
        case ConversationStage.CONNECTING | ConversationStage.LOADING:
            return signs.pending, "pending"
        case ConversationStage.OPEN:
            return signs.connected, "ok"
        case ConversationStage.CLOSED:
            return signs.disconnected, "warning" if lost else "muted"
        case ConversationStage.FAILED:
            return signs.error, "error"
        case ConversationStage.RECORDED:
            return signs.closed, "accent"


# --- One line above the footer while server requests wait: the requester, the causing call, the request, the next key.

_LEAST = 24
"""Minimum visible width of the request, in cells; requester and call are shown only if more space is left."""
_NOTHING_SAID = (-1, "", -1)


class NoticeBar(ItemBar):
    """The line about server requests; hidden while none waits."""

    DEFAULT_CSS = """
    NoticeBar { display: none; height: 1; dock: bottom; margin-bottom: 1; }
    NoticeBar.-asked { display: block; }
    """

    def __init__(self, subject: OpenConversation) -> None:
        super().__init__()
        self._subject = subject
        self._changes = -1
        self._announced = 0
        self._waiting: tuple[Ticket, ...] = ()
        self._said: tuple[int, str, int] = _NOTHING_SAID
        """State that the line depends on: the age in seconds, the key that works, the width."""
        self._said_of_memory = ("", 0)
        """The same for definition changes to approve: the text with the key, the width."""

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation."""
        self._subject = subject
        self._changes, self._announced = -1, 0

    @property
    def oldest(self) -> Ticket | None:
        """The server request that has waited longest; None if there is none."""
        return next((ticket for ticket in self._waiting if ticket.state is TicketState.WAITING), None)

    def sync(self, *, shown: str) -> str:
        """Update, with `shown` as the visible screen; return the text of a toast about new requests, or ""."""
        subject, came = self._subject, ""
        if not self.is_attached:  # it is mounted after the first paint
            return came
        if subject.inbox.changes != self._changes:
            self._changes = subject.inbox.changes
            self._waiting = tuple(each for each in subject.inbox.tickets if each.state is TicketState.WAITING)
            self._said = _NOTHING_SAID
            came = self._news()
        memory = subject.memory.comparison
        alarmed = memory is not None and memory.alarms and not subject.memory.shown
        self.set_class((bool(self._waiting) or alarmed) and shown != "inbox", "-asked")
        if alarmed and not self._waiting:
            self._show_changes()
        if self._waiting:
            self._say(self._waiting[0])
        return came

    def _show_changes(self) -> None:
        """Show what needs approval, and where."""
        from inspector.present.list_changes import alarm

        memory, width = self._subject.memory.comparison, self.size.width or self.app.size.width
        assert memory is not None, "there is something to approve"
        said = alarm(memory)
        tools, changes = working_key(self.app, "screen.tools"), keys.action("offered.changes").keys[0]
        if (state := (said + tools, width)) == self._said_of_memory:
            return
        self._said_of_memory, self._said = state, _NOTHING_SAID
        hint: tuple[Span, ...] = ((tools, "accent"), (" Tools ", "muted"), (changes, "accent"), (" shows", "muted"))
        right = (BarItem(hint, "tools"),) if tools else ()
        room = max(1, width - BarLine((), right, inset=1).width - 2 * BarLine().gap)
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (said, "strong")]
        self.show([BarLine((BarItem(tuple(clip(left, room)), "tools"),), right, inset=1, grave=True)])

    def _news(self) -> str:
        fresh = [ticket for ticket in self._waiting if ticket.number > self._announced]
        self._announced = max((ticket.number for ticket in self._subject.inbox.tickets), default=0)
        if not fresh:
            return ""
        from inspector.tui.screens.inbox.model import asked_by, request_summary

        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        return f"{asked_by(self._subject.journal)} asks: {request_summary(fresh[0].server_request)}{more}"

    def _say(self, ticket: Ticket) -> None:
        server_request, journal = ticket.server_request, self._subject.journal
        seconds = max(0, self._subject.now_ns - server_request.asked_ns) // 1_000_000_000
        width = self.size.width or self.app.size.width  # before the first layout it has no width
        state = (seconds, working_key(self.app, "respond"), width)
        if state == self._said:
            return
        self._said, self._said_of_memory = state, ("", 0)
        from inspector.tui.screens.inbox.model import asked_by, cause_summary, request_summary

        right = self._right(human_duration(seconds * 1_000_000_000) if seconds else "")
        room = width - BarLine((), right, inset=1).width - 2 * BarLine().gap
        by, cause, asked = asked_by(journal), cause_summary(server_request, journal), request_summary(server_request)
        ways = [f"{by} asks in {cause}: ", f"{by} asks: ", "asked: "] if cause else [f"{by} asks: ", "asked: "]
        least = min(cell_width(asked), _LEAST)
        who = next((way for way in ways if cell_width(way) + 2 + least <= room), ways[-1])
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (who, "strong"), (asked, "text")]
        self.show([BarLine((BarItem(tuple(clip(left, max(1, room))), "inbox"),), right, inset=1, grave=True)])

    def _right(self, age: str) -> tuple[BarItem, ...]:
        items = [BarItem(((age, "warning"),), rank=3)]
        if inbox := working_key(self.app, "screen.inbox"):
            items.append(BarItem(((inbox, "accent"), (" Inbox", "muted")), "inbox", rank=1))
        items.append(BarItem(((working_key(self.app, "respond"), "accent"), (" here", "muted")), "here"))
        if len(self._waiting) > 1:
            items.insert(0, BarItem(((f"{len(self._waiting)} wait", "warning"),), "inbox", rank=2))
        return tuple(items)

    def pressed(self, name: str) -> None:
        """Run the action of the clicked item."""
        action = keys.action({"inbox": "screen.inbox", "tools": "screen.tools"}.get(name, "respond"))
        self.app.call_later(self.app.run_action, action.action)


# --- Two lines above the footer while something hangs: who waits for whom, the known facts, and a key that helps.

_WAITING = (ConversationStage.CONNECTING, ConversationStage.OPEN)


class WaitingBar(Vertical):
    """The lines about a wait; hidden while nothing hangs."""

    DEFAULT_CSS = """
    WaitingBar { display: none; height: auto; max-height: 3; }
    WaitingBar.-waits { display: block; }
    WaitingBar > StatusLine, WaitingBar > ButtonBar { background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._chain = ButtonBar()
        self._known = StatusLine()
        self._advice = StatusLine()
        self._programs = Programs()

    def compose(self) -> ComposeResult:
        """Compose the chain of who waits for whom, the known facts, and what to try."""
        yield self._chain
        yield self._known
        yield self._advice

    def sync(self, subject: OpenConversation | None) -> None:
        """Update; None hides the bar."""
        if not self._known.is_attached:
            return
        wait = self._look(subject) if subject is not None else None
        self.set_class(wait is not None, "-waits")
        if wait is None:
            self._programs.forget()
            return
        self._chain.offer_beside(wait.chain, *wait.actions)
        self._known.display = bool(wait.known)
        self._known.show([("  ", "text"), *wait.known])
        self._advice.display = bool(wait.advice)
        self._advice.show([("  ", "text"), (wait.advice, "accent")])

    def _look(self, subject: OpenConversation) -> WaitLine | None:
        if not subject.can_act or subject.stage not in _WAITING:
            return None
        if subject.login.guide is not None and subject.login.guide.waiting is not None:
            return None  # logins are shown elsewhere
        asked = tuple(_asked(ticket) for ticket in subject.inbox.tickets if ticket.state is TicketState.WAITING)
        seen = WaitView(subject.now_ns, subject.stage is ConversationStage.CONNECTING, asked)
        if wait_of(subject.journal, seen) is None:
            return None
        running, busy = self._programs.of(child_pid(subject.journal))
        return wait_of(subject.journal, WaitView(seen.now_ns, seen.connecting, asked, running, busy))


def _asked(ticket: Ticket) -> WaitingRequest:
    proposal = ticket.proposal
    return WaitingRequest(
        ticket.server_request, of_model=proposal is not None and proposal.state is ProposalState.ASKING
    )
