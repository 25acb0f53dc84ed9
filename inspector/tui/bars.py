"""The header: server, state of the connection, and tabs of the screens.

It is updated thirty times a second, so it compares a few values and repaints only what has changed; running figures
are repainted at most ten times a second. Where space is short, the least important items are left out first: the
server's name, the state and the screens stay.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message

from inspector.present.server import other_client
from inspector.present.spans import Role, Span, plain, words_wrapped
from inspector.present.waiting import Programs, WaitingRequest, WaitLine, WaitView, child_pid, wait_of
from inspector.present.words import TRANSPORTS
from inspector.protocol import peek
from inspector.protocol.listed_items import LISTS
from inspector.session.inbox import ProposalState, Ticket
from inspector.text import clock, human_duration, one_line
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.tabs import ALL, Tab, Tabs, TabState, tab_label
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ButtonBar, ItemBar, StatusLine
from inspector.tui.widgets.key_bars import working_key

_TICKS = 3
"""Running figures are repainted at every third update."""
_LONGEST_NAME = 40
_TOGETHER = {"resources": ("resources", "templates")}
"""Lists that share one screen."""
_WIDEST_WARNING = 300
INSECURE = "Certificates are not verified: the connection can be intercepted."

_SHORT = {"resources": "Res", "findings": "Find"}
"""Short names of screens, for narrow terminals."""

_SCREENS = frozenset(action.id for action in keys.HEADER)
_WAITING = (ConversationStage.CONNECTING, ConversationStage.OPEN)


class HeaderBar(ItemBar):
    """Two lines, a third one for a tap that holds messages, and one or two for a permanent warning."""

    class ScreenChosen(Message):
        """The tab of a screen was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, conversation: OpenConversation, *, shown: str = "traffic") -> None:
        super().__init__()
        self.conversation = conversation
        """The conversation shown."""
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
    def shown(self) -> str:
        """Name of the visible screen."""
        return self._chosen

    @shown.setter
    def shown(self, name: str) -> None:
        self._chosen = name
        self._look()

    def rebind(self, conversation: OpenConversation) -> None:
        self.conversation = conversation
        self._look()

    def sync(self) -> None:
        self._ticks += 1
        if (
            self._working != self._keys()
            or self._state != _state(self.conversation)
            or (self._ticks >= _TICKS and self._figures != _figures(self.conversation))
        ):
            self._look()

    def pressed(self, name: str) -> None:
        self.post_message(self.ScreenChosen(name))

    def on_resize(self) -> None:
        """Wrap the warning for the width."""
        self._look()

    def _look(self) -> None:
        conversation = self.conversation
        self._state, self._figures, self._ticks = _state(conversation), _figures(conversation), 0
        self._working = respond, are_digits_keys = self._keys()
        first = (_first_line(conversation, respond),) if self._names_server else ()
        second = _second_line(conversation, self._chosen, are_digits_keys=are_digits_keys)
        self.show((*first, second, *self._held(), *_warnings(conversation, self.size.width)))

    def _keys(self) -> tuple[str, bool]:
        """Return the key that responds to the server, and whether digits show screens: a text field consumes them."""
        if not self.is_attached:
            return keys.shown_key("respond"), True
        return _respond_key(self.app), bool(working_key(self.app, "screen.traffic"))

    def _held(self) -> list[BarLine]:
        return [BarLine((BarItem(tuple(self._badge)),), (), inset=1)] if self._badge else []


def _state(conversation: OpenConversation) -> tuple[Any, ...]:
    """Return the state whose changes are shown at once. Openings and listings are replaced, never changed."""
    journal = conversation.journal
    listings = journal.conversation.catalogue.listings
    return (
        conversation.stage,
        id(conversation.opening),
        id(journal.connection),
        conversation.listing,
        conversation.why,
        conversation.grows,
        id(journal.connection_facts.unreachable),
        journal.recording,
        journal.backpressure,
        journal.notices,
        conversation.inbox.changes,
        *map(id, listings.values()),
    )


def _figures(conversation: OpenConversation) -> tuple[int, ...]:
    """Return the running figures: entries, tenths of a second spent connecting, changes of the checks."""
    checks = conversation.checks_so_far
    changes = checks.changes if checks is not None else 0
    return conversation.journal.count, _waited_ns(conversation) // 100_000_000, changes


def _waited_ns(conversation: OpenConversation) -> int:
    connecting = conversation.stage is ConversationStage.CONNECTING
    return conversation.now_ns - conversation.journal.started_ns if connecting else 0


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
        conversation = self._tab.conversation
        respond = _respond_key(self.app)
        seen = (respond, chosen, self._tab.name, _waited_ns(conversation) // 100_000_000, *_state(conversation))
        if seen != self._seen:
            self._seen = seen
            self.show([_first_line(conversation, respond, (self._tab.name, chosen))])

    def on_click(self, event: events.Click) -> None:
        self._tab.panels[self._tab.shown].take_focus()


def _respond_key(app: App[Any]) -> str:
    return "" if app.screen.is_modal else working_key(app, "respond")  # a dialog takes no keys of the screen below


def _first_line(conversation: OpenConversation, respond: str, tab: tuple[str, bool] | None = None) -> BarLine:
    """Return name, protocol version and state; of a `tab` with its name and whether it is the current one.

    `respond` is the key that responds to a server request now; "" if none does.
    """
    opening = conversation.opening
    server: Any = opening.server if opening else {}
    name = one_line(peek.text(server, "name") or conversation.about.label, _LONGEST_NAME)
    version = one_line(peek.text(server, "version") or "", 16)
    left = [BarItem(((name, "strong"),))]
    if tab is not None:
        mark: Span = ("▌" if tab[1] else " ", "accent")
        left[:0] = [BarItem((mark, (one_line(tab[0], _LONGEST_NAME), "title" if tab[1] else "text")))]
        left[1:] = [_quiet(name, 3)] if name != tab[0] else []
    if version:
        left.append(BarItem(((version, "muted"),), rank=5))
    fact = conversation.journal.connection
    if fact is not None:
        left.append(_quiet(TRANSPORTS.get(fact.transport, fact.transport), 4))
    if opening is not None:
        left += [_quiet(opening.revision.date, 2), BarItem(((f"({opening.era})", "muted"),), rank=6)]
        if opening.offered and opening.offered != opening.revision.date:
            left.append(BarItem(((f"({opening.offered} was offered)", "muted"),), rank=4))
        if client := other_client(opening):
            left.append(_quiet(f"{'as' if conversation.journal.head.mode == 'client' else 'client'} {client}", 2))
    right = [*_waiting(conversation, respond), BarItem(tuple(_stage(conversation))), *_recording(conversation)]
    if conversation.listing:
        right.insert(0, BarItem(((f"{glyphs().pending} Listing {conversation.listing}", "pending"),), rank=6))
    return BarLine(tuple(left), tuple(right), gap=1, inset=1)


def _waiting(conversation: OpenConversation, respond: str) -> tuple[BarItem, ...]:
    """Return the number of server requests waiting for a response, and the key that shows the oldest."""
    waiting = len(conversation.inbox.waiting)
    if not waiting:
        return ()
    part: Span = (f"{glyphs().event} {waiting} waiting ", "warning")
    return (BarItem((part, (f"{respond}  " if respond else " ", "accent")), name="inbox"),)


def _quiet(words: str, rank: int) -> BarItem:
    return BarItem(((f"{glyphs().note} ", "faint"), (one_line(words, 24), "muted")), rank=rank)


def _stage(conversation: OpenConversation) -> list[Span]:
    signs = glyphs()
    match conversation.stage:
        case ConversationStage.CONNECTING:
            tenths = _waited_ns(conversation) // 100_000_000 * 100_000_000
            return [(f"{signs.pending} Connecting {human_duration(tenths) if tenths else ''}".rstrip(), "pending")]
        case ConversationStage.OPEN if (silent := conversation.journal.connection_facts.unreachable) is not None:
            since = clock(silent.wall_ns).partition(".")[0]
            return [(f"{signs.error} No response since {since}", "error")]
        case ConversationStage.OPEN:
            return [(f"{signs.connected} Connected", "ok")]
        case ConversationStage.CLOSED:
            return [(f"{signs.disconnected} Disconnected", "warning" if conversation.why else "muted")]
        case ConversationStage.FAILED:
            return [(f"{signs.error} Not connected", "error")]
        case ConversationStage.LOADING:
            return [(f"{signs.pending} Reading", "pending")]
        case ConversationStage.RECORDED if conversation.grows and conversation.moment_shown is None:
            return [(f"{signs.connected} Live {'tap' if conversation.is_tapped else 'capture'}", "ok")]
        case ConversationStage.RECORDED if conversation.moment_shown == 0:
            return [(f"{signs.closed} Replay before the first entry", "warning")]
        case ConversationStage.RECORDED if conversation.moment_shown is not None:
            return [(f"{signs.closed} Replay at #{conversation.moment_shown:,}", "warning")]
        case ConversationStage.RECORDED:
            return [(f"{signs.closed} Capture", "accent")]


def _second_line(conversation: OpenConversation, chosen: str, *, are_digits_keys: bool) -> BarLine:
    """Return the tabs: the nine screens always have one, others only while they are visible."""
    shown = [action for action in keys.all_actions() if action.id in _SCREENS or action.id == f"screen.{chosen}"]
    return BarLine(tuple(_tab(conversation, action, chosen, is_key=are_digits_keys) for action in shown), gap=0)


def _tab(conversation: OpenConversation, action: keys.Action, chosen: str, *, is_key: bool) -> BarItem:
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
    signs = [each for each in (_badge(conversation, name), *_faults(conversation, name)) if each[0]]
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


def _badge(conversation: OpenConversation, name: str) -> Span:
    """Return the number of items of a screen, or a sign that something is wrong there; "" for neither."""
    if name == "traffic":
        return f"{conversation.journal.count:,}", "faint"
    if name in LISTS:
        known = conversation.journal.conversation.catalogue.listings
        listings = [known[kind] for kind in _TOGETHER.get(name, (name,)) if known[kind].asked]
        return f"{sum(len(listing.items) for listing in listings):,}" if listings else "", "faint"
    if name == "inbox":
        waiting = len(conversation.inbox.waiting) or _waited(conversation)
        return f"{glyphs().event}{waiting}" if waiting else "", "warning"
    if name == "tasks":
        return _running(conversation)
    if name == "findings":
        return _found(conversation)
    if name == "server":
        if conversation.stage is ConversationStage.FAILED:
            return glyphs().error, "error"
        return glyphs().warning if conversation.opening and conversation.opening.warnings else "", "warning"
    return "", "faint"


def _faults(conversation: OpenConversation, name: str) -> tuple[Span, ...]:
    """Return the number of a screen's items in which checks have found errors."""
    if name == "traffic":
        failed = conversation.journal.conversation.exchanges.failures.count(1)
        return ((f"{glyphs().error}{failed:,}", "error"),) if failed else ()
    checks = conversation.checks_so_far if name in LISTS else None
    wrong = checks.faulty(name) if checks is not None else 0
    return ((f"{glyphs().error}{wrong:,}", "error"),) if wrong else ()


def _found(conversation: OpenConversation) -> Span:
    """Return the number of errors found by checks; if there are none, the number of warnings."""
    checks = conversation.checks_so_far
    counts = checks.counts if checks is not None else {}
    if errors := counts.get("error"):
        return f"{glyphs().error}{errors:,}", "error"
    warnings = counts.get("warning")
    return (f"{glyphs().warning}{warnings:,}", "warning") if warnings else ("", "faint")


def _waited(conversation: OpenConversation) -> int:
    """Return how many server requests were waiting at the shown replay position."""
    if conversation.moment_shown is None:
        return 0
    from inspector.tui.screens.inbox.model import recorded_state

    journal = conversation.journal
    return sum(recorded_state(each, journal, goes_on=True).waits for each in journal.conversation.server_requests)


def _running(conversation: OpenConversation) -> Span:
    running = sum(not task.ended for task in conversation.journal.conversation.tasks.all)
    return f"{glyphs().pending}{running}" if running else "", "pending"


def _recording(conversation: OpenConversation) -> tuple[BarItem, ...]:
    signs, journal = glyphs(), conversation.journal
    if journal.loaded:
        return ()
    if not journal.recording or journal.capture_path is None:
        return (BarItem(((f" {signs.disconnected} Not recorded", "muted"),), rank=6),)
    behind = (BarItem(((f" {signs.frozen} Waiting for the disk", "warning"),), rank=1),) if journal.backpressure else ()
    return (*behind, BarItem(((f" {signs.recording}", "error"),), rank=2), BarItem((("Recording", "muted"),), rank=3))


def _warnings(conversation: OpenConversation, width: int) -> list[BarLine]:
    """Return the most serious warning on one or two lines, with the number of others; it is always visible."""
    opened = conversation.journal.connection
    is_insecure = conversation.about.insecure or (opened is not None and opened.insecure)
    found = [*([INSECURE] if is_insecure else ()), *conversation.journal.notices]
    if not found:
        return []
    more = BarItem(((f"{len(found) - 1} more on screen {keys.action('screen.server').keys[0]}", "muted"),))
    right = (more,) if len(found) > 1 else ()
    words: Span = (f"{glyphs().warning} {one_line(found[0], _WIDEST_WARNING)}", "warning")
    room = width or 2 * _WIDEST_WARNING  # not laid out yet
    first, *rest = words_wrapped((words,), room - 2)
    line = BarLine((BarItem(tuple(first)),), right, inset=1, grave=True)
    if not rest and line.width <= room:
        return [line]
    second: Span = (f"  {' '.join(plain(row).strip() for row in rest)}", "warning")
    return [msgspec.structs.replace(line, right=()), msgspec.structs.replace(line, left=(BarItem((second,)),))]


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
        here = ALL if self._tabs.shows_timeline else self._tabs.current.number
        place = [ALL, *(tab.number for tab in self._tabs)].index(here)
        tabs = [_item(tab, abs(at - place), here=tab.number == here) for at, tab in enumerate(self._tabs, 1)]
        self.show([BarLine((_all(place), *tabs), _hint(), gap=0, says_more=True)])

    def pressed(self, name: str) -> None:
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
    conversation = tab.conversation
    waiting = len(conversation.inbox.waiting)
    failed = conversation.journal.conversation.exchanges.failures.count(1)
    sign = _sign(conversation.stage, lost=bool(conversation.why))
    if conversation.stage is ConversationStage.OPEN and conversation.journal.connection_facts.unreachable is not None:
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


# --- Two lines above the footer while something hangs: who waits for whom, the known facts, and a key that helps.


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
        yield self._chain
        yield self._known
        yield self._advice

    def sync(self, conversation: OpenConversation | None) -> None:
        """Update; None hides the bar."""
        if not self._known.is_attached:
            return
        wait = self._look(conversation) if conversation is not None else None
        self.set_class(wait is not None, "-waits")
        if wait is None:
            self._programs.forget()
            return
        self._chain.offer_beside(wait.chain, *wait.actions)
        self._known.display = bool(wait.known)
        self._known.show([("  ", "text"), *wait.known])
        self._advice.display = bool(wait.advice)
        self._advice.show([("  ", "text"), (wait.advice, "accent")])

    def _look(self, conversation: OpenConversation) -> WaitLine | None:
        if not conversation.can_act or conversation.stage not in _WAITING:
            return None
        if conversation.login.guide is not None and conversation.login.guide.waiting is not None:
            return None  # logins are shown elsewhere
        asked = tuple(map(_asked, conversation.inbox.waiting))
        seen = WaitView(conversation.now_ns, conversation.stage is ConversationStage.CONNECTING, asked)
        if wait_of(conversation.journal, seen) is None:
            return None
        programs = self._programs.of(child_pid(conversation.journal))
        return wait_of(conversation.journal, WaitView(seen.now_ns, seen.connecting, asked, *programs))


def _asked(ticket: Ticket) -> WaitingRequest:
    proposal = ticket.proposal
    return WaitingRequest(
        ticket.server_request, of_model=proposal is not None and proposal.state is ProposalState.ASKING
    )
