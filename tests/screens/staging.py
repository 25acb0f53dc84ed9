"""The app, posed for a picture: a capture, a size, a theme, some keys, and then nothing moves.

The pictures of the tests and of the README come from here. What they show depends on the capture alone: the time zone
is UTC, no cursor blinks, and the clock of a recording is at its last entry.
"""

import json
import locale
import os
import re
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from inspector.capture.format.notes import NotesFile
from inspector.capture.journal import Journal
from inspector.config.known_targets import RecentTarget, RecentTargets, SavedTarget, SavedTargets, now
from inspector.config.paths import places
from inspector.config.servers import FoundServer
from inspector.config.targets import Capture, LiveTap
from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lock_file import ServerDefinitions
from inspector.features.watch.watcher import FileChange
from inspector.present.spans import Line
from inspector.protocol.frames import Frame
from inspector.protocol.server_requests import Result, Root, ServerRequest
from inspector.session.engine import Live, OpenedSession
from inspector.session.inbox import Ticket, TicketState
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage, InboxView, OpenConversation, Recording
from inspector.tui.panels import RerunCall
from inspector.tui.restart_model import CallResult, RestartReport, compare_results
from inspector.tui.restarts import TabRestarts
from inspector.tui.screens.items import saved as saved_calls
from inspector.tui.start_app import StartApp
from inspector.tui.theme import DARK_NAME, glyphs
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until

_FONT_FACES = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FONT = re.compile(r"Fira Code")
_ID = re.compile(r"\bterminal-\d+-")
_TICKS = 10
"""As often are panels asked to look before they do, the slowest of them."""
_SINCE_NS = 12_500_000_000
"""How long the questions have waited that wait."""
_WATCHES = Recording.keep_up.__name__
_STILL = 8
"""How many looks in a row have to find the same picture before it is taken."""
_LOOK_S = 0.03
"""Seconds between two of them: together longer than the timers of the panels, such as that which folds a text."""
_STILL_BETWEEN = 1
"""The same between two keys."""


def plain(svg: str) -> str:
    """A picture without what a browser would fetch, and without a number of this run."""
    return _ID.sub("terminal-", _FONT.sub("DejaVu Sans Mono", _FONT_FACES.sub("", svg)))


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture."""

    name: str
    capture: str
    keys: tuple[str, ...] = ()
    """As Textual names them; what a text field is to hold is typed key by key."""
    size: tuple[int, int] = (80, 24)
    theme: str = DARK_NAME
    show: str = "traffic"
    sees: tuple[str, ...] = ()
    """What has to be on the screen before it is taken."""
    ended: bool = False
    """As if the end of the capture had just come, live."""
    asks: bool = False
    """As if the questions that nobody answers in the capture waited for the person, live."""
    calls: str = ""
    """The project's file of saved calls; "" for none."""
    beside: str = ""
    """Another capture, in a second tab; "" for none."""
    restarted: bool = False
    """As if a changed file had restarted the server, and the last call had run again."""
    no_color: bool = False
    encoding: str = "utf-8"
    """The locale's."""


class Ended(Recording):
    """A capture that behaves as the conversation did when it had just ended by itself."""

    @property
    def stage(self) -> ConversationStage:
        """As it would be seen live."""
        return ConversationStage.CLOSED if super().stage is ConversationStage.RECORDED else super().stage

    @property
    def why(self) -> str:
        """What the connection's last fact says."""
        return self.journal.ended.why if self.journal.ended else ""


class Asked(Recording):
    """A capture that behaves as the conversation did a while after its last record: what was asked, waits."""

    can_act = True

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.inbox: Inbox = Inbox(self.journal)

    @property
    def stage(self) -> ConversationStage:
        """As it was seen live."""
        return ConversationStage.OPEN if super().stage is ConversationStage.RECORDED else super().stage

    @property
    def now_ns(self) -> int:
        """Some time after the last record."""
        return super().now_ns + _SINCE_NS


class Inbox(InboxView):
    """A ticket of each question in a capture, answered or not."""

    patience_s = 3600.0
    roots = (Root("file:///srv/lighthouse", "rock"),)

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self.journal = journal
        self._tickets: list[Ticket] = []

    @property
    def changes(self) -> int:
        """One for each question."""
        return len(self.journal.conversation.server_requests)

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """Of each question, answered or not."""
        for server_request in self.journal.conversation.server_requests[len(self._tickets) :]:
            self._tickets.append(self._ticket(len(self._tickets) + 1, server_request))
        return tuple(self._tickets)

    def _ticket(self, number: int, server_request: ServerRequest) -> Ticket:
        exchange = self.journal.conversation.exchanges[server_request.exchange - 1]
        if exchange.answer_frame is None:
            return Ticket(number, server_request, future=None)
        answer = self.journal.store.entry(exchange.answer_frame).what
        assert isinstance(answer, Frame)
        reply = Result(json.loads(answer.payload)["result"])
        return Ticket(number, server_request, TicketState.ANSWERED, reply, by="prepared response", future=None)


class Pictured(App[None]):
    picture = ""
    """The last one that was taken, as SVG."""

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG, without what a browser would fetch."""
        self.picture = plain(super().export_screenshot(title="mcp-inspect", simplify=simplify))
        return self.picture


class Posed(Pictured, InspectApp):
    """The app, whose pictures ask no server for a font and are the same each time.

    `seen_as` says how the capture behaves.
    """

    CHECKS_AFTER_S = 0.01
    AHEAD = ()

    def __init__(self, path: Path, *, show: str, seen_as: type[Recording], beside: Path | None = None) -> None:
        self._seen_as = seen_as
        others = [] if beside is None else [OpenedSession(beside.stem, capture=beside)]
        super().__init__(replay=path, show=show, name=path.stem if others else "", beside=others)

    def _first_conversation(self, first: Live | None, replay: Path | None) -> OpenConversation:
        assert replay is not None
        return self._seen_as(replay)


@contextmanager
def dressed(scene: Scene) -> Iterator[None]:
    """For the time of the block, be in UTC and on the terminal of a scene."""
    kept = dict(os.environ)
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        os.environ.pop(name, None)
    os.environ.update({"TZ": "UTC", "TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if scene.no_color else {}))
    home = TemporaryDirectory(prefix="mcp-inspect-scene-")  # what a scene has the app remember is its own business
    os.environ["MCP_INSPECT_HOME"] = home.name
    encoding, change = locale.getencoding, NotesFile.change
    locale.getencoding = lambda: scene.encoding
    NotesFile.change = lambda self, made: made(self.read())  # type: ignore[method-assign]  # nothing lies beside samples
    calls, near = Path(home.name) / saved_calls.FILE, saved_calls.collections_near  # type: ignore[attr-defined]
    calls.write_text(scene.calls)
    saved_calls.collections_near = lambda directory: (calls,) if scene.calls else ()  # type: ignore[attr-defined]
    _look_anew()
    try:
        with chdir(ROOT):
            yield
    finally:
        saved_calls.collections_near = near  # type: ignore[attr-defined]
        home.cleanup()
        locale.getencoding, NotesFile.change = encoding, change  # type: ignore[method-assign]
        os.environ.clear()
        os.environ.update(kept)
        _look_anew()


def _look_anew() -> None:
    time.tzset()
    glyphs.cache_clear()


START = "start"
"""In place of a capture: the start screen."""


class PosedStart(Pictured, StartApp):
    """The start screen with targets, servers of clients, a tap and a capture."""

    def __init__(self) -> None:
        _keep_targets()
        claude, cursor = Path("/home/ada/.claude.json"), Path("/home/ada/.cursor/mcp.json")
        super().__init__(
            (
                FoundServer("time", "Claude Code", claude, argv=("mcp-server-time",)),
                FoundServer("", "Cursor", cursor, problem="line 1: invalid JSON: expecting ':'"),
            ),
            (Capture(Path("/home/ada/20260823-212349-everything-1a2b.mcpcap"), 1200, 64_000, 30, 1, "clean"),),
            (LiveTap("github", "Claude Code", ("npx", "github"), 720, Path("/home/ada/tap.mcpcap"), ""),),
        )
        self.conversation = self

    async def end(self) -> None:
        """There is no conversation to be ended."""


def _keep_targets() -> None:
    saved, recent = SavedTargets(places().config), RecentTargets(places().state)
    everything = SavedTarget("everything", "node /home/ada/src/everything/dist/index.js stdio")
    saved.save(everything)
    headers = {"Authorization": "Bearer ${GITHUB_TOKEN}"}
    saved.save(SavedTarget("github", url="https://api.githubcopilot.com/mcp/", headers=headers))
    recent.remember(RecentTarget(everything.key, everything.argv, when=now() - 150, summary="19 tools"))
    filesystem = ("npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/ada/txt")
    recent.remember(RecentTarget("f", filesystem, when=now() - 330, ok=False, summary="Exited with code 1"))


def posed(scene: Scene) -> Posed | PosedStart:
    """The app of a scene, not yet running."""
    if scene.capture == START:
        return _still(PosedStart(), scene)
    seen_as = Ended if scene.ended else Asked if scene.asks else Recording
    beside = sample(scene.beside).relative_to(ROOT) if scene.beside else None
    app = Posed(sample(scene.capture).relative_to(ROOT), show=scene.show, seen_as=seen_as, beside=beside)
    if scene.restarted:
        state = app.restarts._known[app.tab.number] = TabRestarts()
        state.report = _RESTARTED
    return _still(app, scene)


def _add(description: str, *required: str) -> ServerDefinitions:
    schema = {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "required": list(required)}
    return ServerDefinitions(lists={"tools": ({"name": "add", "description": description, "inputSchema": schema},)})


def _sum(words: str, number: int, wall_ns: int) -> CallResult:
    status: Line = (("✓ OK", "ok"), (" · 2.8 ms", "muted"))
    return CallResult("add", {"content": [{"type": "text", "text": words}]}, status, number, wall_ns)


_AT_NS = 1_787_521_267_000_000_000
_RESTARTED = RestartReport(
    change=FileChange("server.py", 0, _AT_NS),
    took_ns=412_000_000,
    definitions=compare_definitions(_add("Adds.", "a", "b"), _add("Adds.", "a", "b", "c")),
    result=compare_results(_sum("The sum is 5.", 41, _AT_NS - 77_000_000_000), _sum("The sum is NaN.", 41, _AT_NS)),
    saved=(RerunCall("the count of lamps", True, True), RerunCall("echo a greeting", True, False, "is a tool error")),
)

A = TypeVar("A", bound=App[Any])


def _still(app: A, scene: Scene) -> A:
    app.theme = scene.theme
    app.animation_level = "none"
    app._disable_notifications = True  # toasts go away when their time is up
    return app


async def pose(pilot: Pilot[Any], scene: Scene) -> None:
    """Press the scene's keys, and wait after each until everything stands still."""
    app = pilot.app
    if isinstance(app, Posed):
        subject = app.conversation
        assert isinstance(subject, Recording)
        await until(lambda: subject.stage is not ConversationStage.LOADING, "the capture was read")
        if scene.beside:
            await until(partial(_are_read, app), "so was the other")
    assert isinstance(app, Posed | PosedStart)
    await stand_still(pilot)
    for key in scene.keys:
        await pilot.press(key)
        await stand_still(pilot, looks=_STILL_BETWEEN)
    await stand_still(pilot)
    for words in scene.sees:
        await until(partial(_stands, app, words), f"{words!r} stood on the screen")
    await stand_still(pilot)


def _are_read(app: Posed) -> bool:
    return len(app.tabs) > 1 and all(tab.conversation.stage is not ConversationStage.LOADING for tab in app.tabs)


def _stands(app: Posed | PosedStart, words: str) -> bool:
    return words in text(app)


async def stand_still(pilot: Pilot[Any], looks: int = _STILL) -> None:
    """Let the panels look again until no worker works, and `looks` looks in a row have found the same picture."""
    app = pilot.app
    assert isinstance(app, Posed | PosedStart)
    last: object = None
    same = 0
    while same < looks:
        if isinstance(app, Posed):
            for _ in range(_TICKS):
                await app._tick()
        await pilot.pause(_LOOK_S if looks == _STILL else None)
        await until(partial(_rests, app), "the workers had finished")
        for editor in app.screen.query("Input, TextArea"):
            assert isinstance(editor, Input | TextArea)
            editor.cursor_blink = False
        seen = _picture(app)
        same = same + 1 if seen == last else 0
        last = seen


def _picture(app: Posed | PosedStart) -> object:
    """All that a picture depends on: the letters with their colours, and what has the focus."""
    return app.screen, app.focused, [list(strip) for strip in app.screen._compositor.render_strips()]


def _rests(app: Posed | PosedStart) -> bool:
    """Whether nothing works any more, but for what looks whether the file has grown."""
    if isinstance(app, PosedStart):
        return all(worker.is_finished for worker in app.workers)
    is_checked = app.checker is not None and app.conversation.checks.is_done
    return is_checked and all(worker.is_finished or worker.name == _WATCHES for worker in app.workers)
