"""Restarts or reconnects the server of a tab: on a key, from the post-mortem, or because a file has changed.

The old process is ended as on exit before the new one starts. Screen, selection, form and results stay. The last
call is repeated, and a bar below the header shows what has changed in the definitions and in its result.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from textual.app import App

from inspector.config.targets import HttpTarget, Target
from inspector.present.spans import Line, clip, span
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions.openings import OPENING
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.bars import HeaderBar
from inspector.tui.conversation import ConversationStage, LiveConversation, OpenConversation, is_listed
from inspector.tui.tabs import Tab, Tabs
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar

if TYPE_CHECKING:
    from inspector.features.lock.lock_file import ServerDefinitions
    from inspector.features.watch.watcher import FileChange, Watcher
    from inspector.tui.restart_model import CallResult, RestartReport
    from inspector.tui.results.calls import RunningCall

_LOOK_S = 0.02
"""Poll interval of a connection that is being opened, in seconds."""
_SHARE = 4
"""The comparison takes at most this fraction (one of four) of the screen's height."""
_ATTEMPTS, _AGAIN_S = 6, 0.5
"""Maximum number of connections to a server by URL after a change, and the growing delay between them, in seconds."""
_PROBLEMS_EVERY = 10
"""Ticks between two polls of the watcher's problems."""
_LAST_WORDS_S = 0.1
"""Delay in seconds: the last output on stderr may be read after the end of the server."""

_ACTIONS = {
    "restart": "reconnect",
    "diff": "restart_changes",
    "hide": "restart_report",
    "again": "call_again",
    "report": "show('server')",
}

_SHORT = 24
"""Width of the watched files where space is short, in cells."""

_EXIT_REPORT = BarItem((("[ Exit report ]", "accent"),), "report", rank=2)

_RIGHT = (
    BarItem((("Restart ", "muted"), (keys.shown_key("reconnect"), "accent")), "restart", rank=4),
    BarItem((("Hide ", "muted"), (glyphs().times, "accent")), "hide", rank=3),
)


class RestartBar(ItemBar):
    """Outcome of the restart, and what it has changed. Hidden before the first restart."""

    DEFAULT_CSS = """
    RestartBar { display: none; background: $surface; }
    RestartBar.-shown { display: block; }
    """

    def __init__(self, press: Callable[[str], None]) -> None:
        """`press` runs the action of a clicked item, whose name is a key of `_ACTIONS`."""
        super().__init__()
        self._press = press

    def pressed(self, name: str) -> None:
        self._press(name)


class TabRestarts:
    """State of one tab that is kept between restarts."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        """Held while one process is ended and the next one started."""
        self.definitions: ServerDefinitions | None = None
        """Definitions of the last open connection."""
        self.call: RunningCall | None = None
        """The call to repeat."""
        self.result: CallResult | None = None
        """Its last result."""
        self.report: RestartReport | None = None
        self.is_hidden = False


class Restarts:
    """Restarts servers, and shows what that has changed."""

    def __init__(
        self,
        app: App[None],
        tabs: Tabs,
        header: HeaderBar,
        toasts: Toasts,
        offer_server: Callable[[Tab], None],
        watch: "Callable[[Target], Watcher | None] | None" = None,
    ) -> None:
        """`offer_server` offers to start the server of a capture.

        `watch` returns a watcher for the files of a server, not started yet; None if they are not watched.
        """
        self._app = app
        self._tabs = tabs
        self._header = header
        self._toasts = toasts
        self._offer_server = offer_server
        self._watch = watch
        self._watchers: dict[int, Watcher | None] = {}
        """By tab number; None for a tab that is not watched."""
        self._problems: dict[int, tuple[str, ...]] = {}
        self._looks = 0
        self._is_watching = False
        self._known: dict[int, TabRestarts] = {}
        """By tab number."""
        self.bar: RestartBar | None = None
        """None before the first restart."""
        self._shown: object = None

    def begin_watching(self) -> None:
        """Start watching the files of each server, if they are to be watched."""
        self._is_watching = self._watch is not None
        self._look_at_files()

    def stop_watching(self) -> None:
        """Stop watching files."""
        self._is_watching = False
        for watcher in filter(None, self._watchers.values()):
            watcher.stop()
        self._watchers.clear()

    # Actions

    def action_reconnect(self) -> None:
        """End this conversation and start a new one with the same server; for a capture, offer to start its server."""
        self.restart(self._tabs.current)

    def action_restart_again(self) -> None:
        """Restart, and repeat the last call even if it may be destructive."""
        self.restart(self._tabs.current, confirmed=True)

    def action_restart_report(self) -> None:
        """Show or hide the bar."""
        state = self._known.get(self._tabs.current.number)
        if state is None:
            self._toasts.say(f"Not restarted yet: {keys.shown_key('reconnect')} restarts the server.")
        else:
            state.is_hidden = not state.is_hidden

    def action_restart_changes(self) -> None:
        """Show all changes caused by the restart."""
        state = self._known.get(self._tabs.current.number)
        report = state.report if state is not None else None
        if report is None or not report.changed:
            self._toasts.say("The last restart has changed nothing." if report else "Not restarted yet.")
            return
        from inspector.tui.restart_model import full_lines
        from inspector.tui.widgets.lines import LinesScreen

        self._app.push_screen(LinesScreen("Changes since the restart", full_lines(report)))

    def _pressed(self, name: str) -> None:
        self._app.call_later(self._app.run_action, f"app.{_ACTIONS[name]}")

    def action_call_again(self) -> None:
        """Repeat the last call on this connection, even if it may be destructive."""
        tab = self._tabs.current
        state = self._known.get(tab.number)
        if state is not None and isinstance(tab.conversation, LiveConversation):
            self._app.run_worker(self._call_again(tab, state, confirmed=True), group=f"restarted {tab.number}")

    # Restarting

    def restart(
        self,
        tab: Tab,
        *,
        confirmed: bool = False,
        runs_again: bool = True,
        change: "FileChange | None" = None,
        attempt: int = 1,
    ) -> None:
        """Restart the server of a tab. `confirmed`: whether the last call is repeated even if it may be destructive.

        Without `runs_again`, it is not repeated. `change` is the file change that caused the restart, if any.
        `attempt` counts connections to a server by URL, which may still be starting. For a capture, starting its
        server is offered.
        """
        if tab.begin is None:
            self._offer_server(tab)
            return
        from inspector.tui.restart_model import RestartReport  # not needed for the first paint

        state = self._known.setdefault(tab.number, TabRestarts())
        state.is_hidden = state.is_hidden and change is not None
        began_ns = time.monotonic_ns()
        old, live = tab.conversation, tab.reopened(tab.begin)
        if runs_again:
            state.call = self._last_call(tab) or state.call
        new = LiveConversation(live)
        new.unsent = old.unsent
        new.watching.watch_first(old.watching.wanted)
        tab.rebind(new)
        if tab is self._tabs.current:
            self._header.rebind(new)
        is_remote = isinstance(live.target, HttpTarget)
        ending = "disconnecting" if is_remote else "stopping the old process"
        state.report = RestartReport(ending, "Reconnected" if is_remote else "Restarted", change)
        if is_remote:  # the two connections share nothing that only one can hold
            new.begin()
        self._app.run_worker(self._renew(state, old, new), group="ending")
        follow = partial(
            self._follow,
            tab,
            state,
            new,
            began_ns,
            confirmed=confirmed,
            runs_again=runs_again,
            remote=is_remote,
            attempt=attempt,
        )
        self._app.run_worker(follow, group=f"restarted {tab.number}", exclusive=True)  # type: ignore[arg-type]

    def _last_call(self, tab: Tab) -> "RunningCall | None":
        requests = [panel.requests for panel in tab.panels.values() if panel.requests is not None]
        made = [each.made for each in requests if each.made is not None]
        return max(made, key=lambda call: call.begun_ns, default=None)

    async def _renew(self, state: TabRestarts, old: OpenConversation, new: OpenConversation) -> None:
        """End the old connection before starting the new one: a server may hold a port, a file or a lock."""
        async with state.turn:
            try:
                await self._remember(state, old)
                await old.end()
            finally:
                new.begin()

    async def _remember(self, state: TabRestarts, old: OpenConversation) -> None:
        """Store the state of a connection that the next one is compared with."""
        if old.opening is not None:
            state.definitions = await read_on_thread(_definitions, old)
        call = state.call
        if call is not None and call.journal is old.journal and call.over:
            state.result = await read_on_thread(_result, call)

    async def _follow(
        self,
        tab: Tab,
        state: TabRestarts,
        new: LiveConversation,
        began_ns: int,
        *,
        confirmed: bool,
        runs_again: bool,
        remote: bool,
        attempt: int,
    ) -> None:
        """Wait for the connection and its lists, repeat the last call, and report."""
        await _until(lambda: new.stage is not ConversationStage.CONNECTING)
        is_open = new.stage is ConversationStage.OPEN
        if (watcher := self._watchers.get(tab.number)) is not None:
            watcher.ended(well=is_open)
        if not is_open:
            await asyncio.sleep(_LAST_WORDS_S)
            why = new.why or "the connection was closed"
            _report(state, doing="", failed=why, last_words=tuple(new.journal.stderr_tail))
            change, attempt = state.report.change if state.report else None, attempt + 1
            if remote and change is not None and attempt <= _ATTEMPTS:
                await asyncio.sleep(attempt * _AGAIN_S)
                self._app.call_later(partial(self.restart, tab, change=change, attempt=attempt))
            return
        _report(state, doing="", took_ns=_opened_ns(new) - began_ns)
        before = state.definitions
        await _until(lambda: is_listed(new) or new.stage is not ConversationStage.OPEN)
        if before is not None:
            found = await read_on_thread(_compared_definitions, before, new)
            _report(state, definitions=found)
        if runs_again:
            await self._call_again(tab, state, confirmed=confirmed)
            ran = [
                call
                for panel in tab.panels.values()
                if panel.requests is not None
                for call in await panel.requests.run_marked()
            ]
            if tab.conversation is new:
                _report(state, saved=tuple(ran))

    async def _call_again(self, tab: Tab, state: TabRestarts, *, confirmed: bool) -> None:
        """Repeat the last call, unless it may be destructive, and compare its result."""
        made, conversation = state.call, tab.conversation
        if made is None:
            return
        if why := _why_not(made, conversation, confirmed=confirmed):
            _report(state, not_run=why)
            return
        requests = (panel.requests for panel in tab.panels.values() if panel.requests is not None)
        by = next((each for each in requests if each.made is made), None)
        if by is None:
            return
        state.call = call = by.repeat(made)
        _report(state, not_run="", result=None)
        await _until(lambda: call.over)
        after = await read_on_thread(_result, call)
        if tab.conversation is conversation:
            from inspector.tui.restart_model import compare_results

            is_unmarked = not confirmed and isinstance(made.item, Tool) and made.item.says_nothing
            _report(state, result=compare_results(state.result, after), is_unmarked=is_unmarked)

    # The bar

    def tick(self) -> None:
        """Restart after file changes, and show the restart of the visible tab; nearly free while nothing is new."""
        self._look_at_files()
        number = self._tabs.current.number
        state = self._known.get(number)
        watcher = self._watchers.get(number)
        is_seen = state is not None and not self._tabs.shows_timeline and (watcher is not None or not state.is_hidden)
        if not is_seen and self.bar is None:
            return
        if self.bar is None:
            self.bar = RestartBar(self._pressed)
            self._app.screen_stack[0].mount(self.bar, after=self._header)
        size = self._app.size
        report, folded = (state.report, state.is_hidden) if state is not None else (None, True)
        problems = self._problems.get(number, ())
        conversation = self._tabs.current.conversation
        ended = conversation.why if conversation.stage is ConversationStage.CLOSED else ""
        is_shown = is_seen and (report is not None or watcher is not None)
        seen = (is_shown, report, ended, folded, watcher, problems, size)
        if seen != self._shown and self.bar.is_attached:
            self._shown = seen
            self.bar.set_class(seen[0], "-shown")
            watched = watcher.shown if watcher is not None else ""
            lines = _bar_lines(report, ended, watched, problems, size.width - 2, 0 if folded else size.height // _SHARE)
            self.bar.show(lines[:1] if folded else lines)

    def _look_at_files(self) -> None:
        if not self._is_watching:
            return
        self._looks = (self._looks + 1) % _PROBLEMS_EVERY
        for tab in self._tabs:
            if tab.number not in self._watchers:
                self._begin(tab)
            if (watcher := self._watchers[tab.number]) is None:
                continue
            if not self._looks:
                self._problems[tab.number] = watcher.problems()
            if (change := watcher.due()) is not None:
                self.restart(tab, change=change)
        if len(self._watchers) > len(self._tabs):
            for number in [number for number in self._watchers if self._tabs.numbered(number) is None]:
                closed = self._watchers.pop(number)
                if closed is not None:
                    self._app.run_worker(closed.stop, thread=True, group="watching")

    def _begin(self, tab: Tab) -> None:
        """Watch the files of a tab's server."""
        self._watchers[tab.number] = None
        if self._watch is None or tab.begin is None or not isinstance(tab.conversation, LiveConversation):
            return
        watcher = self._watchers[tab.number] = self._watch(tab.conversation.target)
        if watcher is not None:
            self._known.setdefault(tab.number, TabRestarts())
            watcher.start()


def _report(state: TabRestarts, **news: object) -> None:
    if state.report is not None:
        state.report = msgspec.structs.replace(state.report, **news)


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what it looks at changes on the engine's thread
        await asyncio.sleep(_LOOK_S)


def _opened_ns(conversation: OpenConversation) -> int:
    """Return the time of the response that opened a connection."""
    first = (each for each in conversation.journal.conversation.exchanges[:4] if each.method in OPENING)
    ended = [each.ended_ns for each in first if each.ended_ns is not None]
    return max(ended, default=time.monotonic_ns())


def _definitions(conversation: OpenConversation) -> "ServerDefinitions":
    from inspector.features.lock.lock_file import definitions_of

    return definitions_of(conversation.journal.conversation)


def _compared_definitions(before: "ServerDefinitions", conversation: OpenConversation) -> object:
    from inspector.features.lock.changes import compare_definitions

    return compare_definitions(before, _definitions(conversation))


def _result(call: "RunningCall") -> "CallResult":
    """Return the result of a finished call. Reads from disk."""
    from inspector.present.calls import view_call
    from inspector.tui.restart_model import result_of

    looked = view_call(call.journal, call.exchange, None, call.called, method=call.method)
    wall_ns = call.journal.store.wall_ns(call.exchange.request_frame) if call.exchange is not None else 0
    return result_of(looked, call.item.key, wall_ns)


def _why_not(made: "RunningCall", conversation: OpenConversation, *, confirmed: bool) -> str:
    """Return why a call is not repeated automatically; "" if it is. What counts is the tool's current definition."""
    if not isinstance(made.item, Tool):
        return ""
    name = visible(made.item.name, limit=60)
    listing = conversation.journal.conversation.catalogue.listings["tools"]
    now = next((tool for tool in map(Tool, listing.items) if tool.name == made.item.name), None)
    if now is None:
        return f"{name} was not run again: the server does not list it any more" if listing.whole else ""
    if (now.destructive or made.item.destructive) and not confirmed:
        return f"{name} was not run again: it is marked as destructive"
    return ""


def _bar_lines(
    report: "RestartReport | None", ended: str, watched: str, problems: Sequence[str], width: int, most: int
) -> list[BarLine]:
    """Return the lines of the bar.

    `ended`: why the connection is over; "" while it is not. `watched`: what is being watched, "" for nothing.
    """
    from inspector.tui.restart_model import definitions_line, last_lines, result_line, saved_line, side_lines

    right = (_EXIT_REPORT, *_RIGHT) if report is not None and report.failed else _RIGHT
    lines = [BarLine(_first_items(report, ended, watched), right, inset=1, gap=1)]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    lines += [
        _text_line((span(f"{glyphs().warning} {message}{more}", "warning", limit=300),)) for message in problems[:1]
    ]
    if report is None:
        return lines
    diff = BarItem((("[ Diff ", "accent"), (keys.shown_key("restart.changes"), "faint"), (" ]", "accent")), "diff")
    again = BarItem((("[ Run again ]", "accent"),), "again")
    for line, button, wanted in (
        (definitions_line(report), diff, bool(report.definitions and report.definitions.changes)),
        (result_line(report), again if report.not_run else diff, bool(report.not_run or report.has_new_result)),
    ):
        if line:
            lines.append(BarLine((BarItem(line),), (button,) if wanted else (), inset=1))
    if report.saved:
        lines.append(_text_line(saved_line(report)))
    lines += [_text_line(line) for line in last_lines(report, most)]
    if report.result is not None:
        lines += [_text_line(line) for line in side_lines(report.result, width, most)]
    return lines


def _first_items(report: "RestartReport | None", ended: str, watched: str) -> tuple[BarItem, ...]:
    from inspector.tui.restart_model import change_line, status_line, watching_line

    if not watched:
        return (BarItem(status_line(report, ended=ended)),) if report is not None else ()
    items = [BarItem(watching_line(watched), short=tuple(clip(watching_line(watched), _SHORT)))]
    if report is not None:
        if change := change_line(report):
            items.append(BarItem(change, rank=1))
        items.append(BarItem(status_line(report, ended=ended, follows=True)))
    return tuple(items)


def _text_line(line: Line) -> BarLine:
    return BarLine((BarItem(line),), inset=1)
