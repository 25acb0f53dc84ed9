"""Why a session fails in this tab and works in another one: plays both to fresh servers and shows what decides."""

import os

from msgspec.structs import replace

from inspector.config.targets import HttpTarget
from inspector.errors import InspectError
from inspector.features.blame.play import ScriptPlayer, destructive_calls, harmless_tools, without_calls
from inspector.features.blame.report import blame_lines, explaining, finding_lines, not_tried
from inspector.features.blame.script import ClientScript, outcome_of, script_of
from inspector.features.blame.search import BlameEnd, Search
from inspector.present.spans import Line, span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import LiveConversation, OpenConversation, ReplayedConversation
from inspector.tui.tabs import Tab
from inspector.tui.widgets.dialogs import DialogBox
from inspector.tui.widgets.lines import LinesScreen

_MOST_RUNS = 60
_RESPONSE_S = 3.0
_FRAME = 14
"""Columns that the box and the indent of a line take."""
_PAUSE_S = 0.2
"""Seconds between two looks at the progress."""


class BlameScreen(LinesScreen[None]):
    """Asks before it starts servers, shows the progress, then the result. Closing it ends the search."""

    BINDINGS = keys.bindings_of("blame.start")

    def __init__(self, here: Tab, there: Tab, server: LiveConversation) -> None:
        """`here` fails and `there` works; `server` is the tab whose server is started again."""
        super().__init__("Why here and not there?")
        self._tabs = (here, there)
        self._server = server
        self._progress = ""
        """Newest line of progress, set by the engine's thread; "" unless the search runs."""
        self._is_started = False

    @property
    def hint(self) -> str:
        return "Enter Start  Esc Close" if not self._is_started else "y Copy  Esc Close"

    def on_mount(self) -> None:
        """Say what is compared, and what that does."""
        self.view.focus()
        here, there = (span(tab.name, "strong", limit=60) for tab in self._tabs)
        what = "sends the requests of both sides to" if isinstance(self._server.target, HttpTarget) else "starts"
        server = span(self._server.target.label, "target", limit=60)
        self.show_lines(
            [
                (("Fails here:   ", "muted"), here),
                (("Works there:  ", "muted"), there),
                (),
                (
                    (f"This {what} ", "text"),
                    server,
                    (f" up to {_MOST_RUNS} times, two at once, to find the smallest difference that decides.", "text"),
                ),
                (("Calls of tools that are not known to be harmless are left out.", "text"),),
            ]
        )

    def action_start(self) -> None:
        """Start the search."""
        if self._is_started:
            return
        fails, works = (script_of(_whole(tab).journal) for tab in self._tabs)
        if not fails.steps or not works.steps:
            self.show_lines([(("A side holds no message of a client.", "warning"),)])
            return
        safe = harmless_tools(_whole(self._tabs[0]).journal.conversation)
        left_out = destructive_calls(fails, safe) | destructive_calls(works, safe)
        fails, works = without_calls(fails, left_out), without_calls(works, left_out)
        target = self._server.target
        if isinstance(target, HttpTarget):
            fails, works = (replace(each, environment=None, inherited=None) for each in (fails, works))
        player = ScriptPlayer(target, os.environ, _RESPONSE_S)
        gaps = [f"not sent: {key} may destroy something" for key in sorted(left_out)]
        gaps += not_tried(player, _whole(self._tabs[0]).journal, fails, works, plays_commands=False)
        fails, works = replace(fails, argv=()), replace(works, argv=())
        self._is_started = True
        self.query_one(DialogBox).border_subtitle = self.hint
        self.set_interval(_PAUSE_S, self._show_progress)
        self.run_worker(self._search(player, fails, works, gaps), exclusive=True)

    async def _search(self, player: ScriptPlayer, fails: ClientScript, works: ClientScript, gaps: list[str]) -> None:
        def report(text: str) -> None:
            self._progress = text

        search, recorded = Search(player, _MOST_RUNS, report), outcome_of(_whole(self._tabs[0]).journal)
        try:
            found = await self._server.perform(lambda session: search.blame(fails, works, recorded))
        except InspectError as error:
            lines: list[Line] = [
                ((visible(str(error), limit=500), "error"),),
                ((visible(error.hint, limit=500), "text"),),
            ]
        else:
            fails_here = _whole(self._tabs[0])
            lines = list(blame_lines(found, self.size.width - _FRAME, marks=False))
            lines += finding_lines(explaining(fails_here.journal, found, fails_here.checks.all))
            if found.end is not BlameEnd.FOUND:
                lines += [(), *(((f"- {visible(each, limit=600)}", "muted"),) for each in gaps)]
            lines += [(), ((f"{found.compared} differences, {found.runs} runs, {found.seconds:.1f} s", "faint"),)]
        self._progress = ""
        self.show_lines(lines)

    def _show_progress(self) -> None:
        if self._progress:
            self.show_lines([((visible(self._progress, limit=200), "muted"),)])


def _whole(tab: Tab) -> OpenConversation:
    """Return the conversation of a tab; at a replay position, that of its capture."""
    return tab.conversation.whole if isinstance(tab.conversation, ReplayedConversation) else tab.conversation


def server_of(here: Tab, there: Tab) -> LiveConversation | None:
    """Return the live side, whose server can be started again: the failing one, if both are."""
    return next((tab.conversation for tab in (here, there) if isinstance(tab.conversation, LiveConversation)), None)
