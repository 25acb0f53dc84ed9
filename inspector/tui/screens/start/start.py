"""Start screen: servers and captures to open. It returns a choice, and starts and opens nothing itself.

It is a separate app, so that the inspector starts cleanly with the choice. The command line of a server from a file
was written by someone else: it is shown in full first, and needs a second key.
"""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from rich.console import Group
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from inspector.config.known_targets import (
    KnownTarget,
    RecentTargets,
    SavedTarget,
    SavedTargets,
    known_targets,
    now,
    target_from,
)
from inspector.config.paths import places
from inspector.config.servers import Approvals, FoundServer
from inspector.config.targets import Capture, LiveTap, OpenDemo, OpenServer, StartChoice
from inspector.errors import UsageError
from inspector.present.spans import Line
from inspector.present.start import (
    StartRows,
    can_open,
    consent_question,
    needs_review,
    server_section,
    typed_of,
    wanted,
)
from inspector.text import cut, visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.queued_app import QueuedApp
from inspector.tui.safety import apply_theme, install
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import BarItem, BarLine, ButtonBar, ItemBar
from inspector.tui.widgets.dialogs import ConfirmScreen, Dialog, DialogBox
from inspector.tui.widgets.fields_screen import FieldsScreen
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.schema_form.editors import LineEdit
from inspector.tui.widgets.section_card import section_renderable
from inspector.tui.widgets.virtual_lines import Scroller
from inspector.tui.widgets.virtual_list import LogList
from inspector.tui.widgets.wrapping import problem_text

ResultT = TypeVar("ResultT")
_CHEAP = 512 * 1024
"""Maximum size in bytes of a capture that is read for its row, unless its summary is cached."""

_FIELDS = (
    ("name", "Name", "without spaces"),
    ("address", "Command or URL", "node dist/index.js, or https://example.com/mcp"),
    ("directory", "Directory", "of a command; empty: the current one"),
    ("variables", "Variables", "of a command: API_KEY copies its value, LEVEL=debug sets it"),
    ("headers", "Headers", "of a URL: Authorization: Bearer ${TOKEN}; X-Team: blue"),
    ("era", "Era", "auto, legacy or modern"),
)


class StartList(LogList):
    """List whose headings can't be selected."""

    def __init__(self, rows: StartRows) -> None:
        super().__init__(rows, id="start-list")
        self.start = rows

    def go_to(self, index: int) -> None:
        """Select the nearest row that is a choice."""
        found = self.start.nearest(max(0, min(index, self.start.count - 1)), index - self.view.cursor)
        super().go_to(found)

    def action_last(self) -> None:
        """Select the last choice, without following new rows as other lists do."""
        self.go_to(self.start.count - 1)


class ApproveScreen(Dialog[bool]):
    """Shows a server in full before it is started or connected to, and enables that only after scrolling to the end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("start.confirm")),
        replace(keys.binding(keys.action("back")), show=True),
    ]
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, server: FoundServer) -> None:
        super().__init__()
        self._server = server
        self._is_read = False
        """Whether the end has been visible."""

    def compose(self) -> ComposeResult:
        """Lay out the question, the details of the server, and the keys."""
        dark = self.app.current_theme.dark
        section = server_section(self._server)
        question = spans_to_text([(consent_question(self._server), "strong")], dark=dark)
        question.append("\n\n")
        with DialogBox(id="confirm") as frame:
            frame.border_title = Content(section.title)
            with Scroller():
                yield Static(Group(question, section_renderable(section, dark=dark)), markup=False)
            yield FooterBar()

    def on_mount(self) -> None:
        """Track how far the text is scrolled."""
        scroller = self.query_one(Scroller)
        self.watch(scroller, "scroll_y", self._look, init=False)
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._look())
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        """Enable confirmation once the end is visible; until then show how many lines are below."""
        scroller = self.query_one(Scroller)
        if self._is_read or not scroller.size.height or not self.query_one(Static).size.height:
            return
        below = round(scroller.max_scroll_y - scroller.scroll_y)
        self._is_read = below <= 0
        frame = self.query_one("#confirm")
        frame.border_subtitle = "" if self._is_read else Content(f"{below} more lines: End, then Enter")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable confirmation only for a valid server that was shown in full."""
        if action != "confirm":
            return True
        return can_open(self._server) and (self._is_read or None)

    def action_confirm(self) -> None:
        self.dismiss(True)

    def action_back(self) -> None:
        """Go back without approval."""
        self.dismiss(False)


# Approval before a start, one server after the other, each in full. Nothing is started or connected to here.


def approve(app: "App[Any]", server: FoundServer, then: "Callable[[FoundServer | None], None]") -> None:
    """Ask for approval, unless there is one, and for values; `then` gets the server, or None if the user leaves."""
    if not needs_review(server):
        _fill(app, server, then)
        return

    def answered(sure: bool | None) -> None:
        if sure:
            _fill(app, Approvals(places().state).approve(server), then)
        else:
            then(None)

    app.push_screen(ApproveScreen(server), answered)


def _fill(app: "App[Any]", server: FoundServer, then: "Callable[[FoundServer | None], None]") -> None:
    """Ask for the values that the file leaves open."""
    if not server.inputs:
        then(server)
        return

    def answered(values: "dict[str, str] | None") -> None:
        then(server.filled(values) if values is not None else None)

    app.push_screen(ValuesScreen(server), answered)


class ValuesScreen(FieldsScreen["dict[str, str] | None"]):
    """Form for the values of a server. Returns the values by id; None if the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("inputs.done")),
        keys.binding(keys.action("inputs.leave")),
    ]
    DEFAULT_CSS = """
    ValuesScreen LineEdit { margin: 0 0 1 0; }
    """

    def __init__(self, server: FoundServer) -> None:
        self._inputs = server.inputs
        edits = [LineEdit(each.default, unset=True, secret=each.secret) for each in self._inputs]
        super().__init__(f"Values for {visible(server.name, limit=60)}", edits)

    def labels(self) -> Iterable[Text]:
        """Return name, description and allowed values of each."""
        for variable in self._inputs:
            about = f"  {visible(variable.about, limit=300)}" if variable.about else ""
            one_of = f"  one of {', '.join(visible(each, limit=60) for each in variable.options)}"
            name = visible(variable.id, limit=100), "bold"
            yield Text.assemble(name, about, one_of if variable.options else "", no_wrap=False)

    def finish(self) -> None:
        for variable, edit in zip(self._inputs, self._edits, strict=True):
            if variable.options and edit.value not in variable.options:
                self.say_wrong(f"{cut(variable.id, 100)} must be one of the values above.")
                edit.focus()
                return
        self.dismiss({variable.id: edit.value for variable, edit in zip(self._inputs, self._edits, strict=True)})

    def action_done(self) -> None:
        self.finish()


class ApproveApp(QueuedApp["list[FoundServer | None]"]):
    """App that returns each approved server with its values, and None for each other one.

    Returns None for all if the app is quit.
    """

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, servers: Sequence[FoundServer]) -> None:
        super().__init__()
        install(self, ascii_only=glyphs().to_server.isascii())
        apply_theme(self)
        self._servers = servers
        self._answers: list[FoundServer | None] = []

    def on_mount(self) -> None:
        """Ask for the first server."""
        self.watch_queue()
        self._ask()

    def _ask(self) -> None:
        if len(self._answers) == len(self._servers):
            self.exit(self._answers)
            return
        approve(self, self._servers[len(self._answers)], self._take)

    def _take(self, server: FoundServer | None) -> None:
        self._answers.append(server)
        self.input_queue.drop()  # keys typed ahead approve no server that was not seen
        self._ask()


# Selection of what to open: an input line and a list. Starts nothing itself.


class OpenLine(Input):
    """The input line. Its Enter is in the footer."""

    BINDINGS: ClassVar[list[BindingType]] = [keys.binding(keys.action("open.go"))]

    async def action_go(self) -> None:
        await self.action_submit()


class StartPane(Vertical):
    """Input line, its error, and the list with saved and recent targets first."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.START, "Open a server")
    DEFAULT_CSS = """
    StartPane { height: 1fr; }
    StartPane > Horizontal { height: auto; }
    StartPane OpenLine { width: 1fr; margin: 0 1; padding: 0 1; }
    StartPane OpenLine { border: round $border-blurred; background: $background; }
    StartPane OpenLine:focus { border: round $accent; background-tint: transparent; }
    StartPane ButtonBar { width: 12; margin: 1 1 0 0; }
    StartPane > #start-problem { height: auto; min-height: 1; padding: 0 1; color: $text-error; }
    StartPane > #start-list { margin: 0 1; height: 1fr; }
    """

    class Chosen(Message):
        """The user opens something; a server from a client's file has been approved."""

        def __init__(self, choice: StartChoice) -> None:
            super().__init__()
            self.choice = choice

    class Left(Message):
        """The user leaves without opening anything."""

    def __init__(
        self,
        servers: Sequence[FoundServer],
        captures: Sequence[Capture],
        taps: Sequence[LiveTap] = (),
        *,
        typed: str = "",
        problem: str = "",
        alone: bool = False,
    ) -> None:
        """`typed` and `problem`: text typed earlier, and why it could not be opened; "" at first.

        `alone`: there is no screen to return to, and advice is shown.
        """
        super().__init__()
        self.typed = typed
        """Text of the input line."""
        self.is_replaced = False
        """Whether typing replaces the text typed earlier, which is selected."""
        self._servers, self._captures, self._taps, self._alone = servers, captures, taps, alone
        own = places()
        self._saved, self._recent = SavedTargets(own.config), RecentTargets(own.state)
        self._known, trouble = known_targets(own.config, own.state)
        self._problem = problem or trouble
        self._list = StartList(self._rows())

    def _rows(self) -> StartRows:
        return StartRows(
            self._servers, self._captures, taps=self._taps, known=self._known, now=now(), advice=self._alone
        )

    def compose(self) -> ComposeResult:
        """Lay out the input line, its error and the list."""
        with Horizontal():
            yield OpenLine(self.typed, placeholder="Command, URL, capture file or saved name", select_on_focus=False)
            yield ButtonBar("open.go", has_primary=True)
        yield Static(id="start-problem", markup=False)
        yield self._list

    def on_mount(self) -> None:
        """Focus the input line, which takes all typed characters. Enter in an empty line opens the selected row."""
        self._list.go_to(0)
        line = self.query_one(Input)
        line.cursor_position = len(line.value)
        line.focus()
        if self.is_replaced:
            line.select_all()
        if self._problem:
            self._say(self._problem)
        if self._captures:
            self.run_worker(self._summarize, thread=True, group="summaries")

    def _summarize(self) -> None:
        """Add what the captures hold to their rows, on a thread; only small ones are read, others only if cached."""
        from inspector.capture.automatic import Summaries  # loads journals, which the first picture must not wait for

        worker, summaries, found = get_current_worker(), Summaries(places().state / "sessions.json"), []
        for each in self._captures:
            if worker.is_cancelled:
                return
            known = summaries.known(each.path) or (summaries.of(each.path) if each.size <= _CHEAP else None)
            if known is not None and known.readable:
                each = msgspec.structs.replace(each, entries=known.entries, errors=known.errors, ended=known.ended)
            found.append(each)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take_captures, found)

    def _take_captures(self, captures: Sequence[Capture]) -> None:
        self._captures = captures
        self._list.start = self._list.source = self._rows()

    def _say(self, problem: str) -> None:
        self.query_one("#start-problem", Static).update(problem_text(problem))

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Open the selected row."""
        message.stop()
        self._choose(message.index)

    def _choose(self, index: int) -> None:
        choice = self._list.start.choice(index)
        if choice is not None:
            self.typed = ""
            self._take(choice)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open what was typed."""
        event.stop()
        if not event.value.strip():
            self._choose(self._list.view.cursor)
            return
        try:
            self._take(wanted(event.value, self._servers, self._known))
        except UsageError as error:
            self._say(error.full_text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Remove the error of the previous text."""
        if event.value != self.typed:
            self.typed = event.value
            self._say("")

    def _take(self, choice: StartChoice) -> None:
        """Open a choice; a server from a project's file needs approval first."""
        if isinstance(choice, OpenServer):

            def take(server: FoundServer | None) -> None:
                if server is not None:
                    self.post_message(self.Chosen(OpenServer(server)))

            approve(self.app, choice.server, take)
        else:
            self.post_message(self.Chosen(choice))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the actions that the list and its selected row allow."""
        if action in ("edit", "delete"):
            return self._list.has_focus and self._target() is not None
        if action == "list":
            return self.query_one(Input).has_focus
        if action == "open_nth":
            return self._list.start.nth(int(str(parameters[0]))) is not None
        return True

    def _target(self) -> KnownTarget | None:
        return self._list.start.target(self._list.view.cursor)

    def action_open_nth(self, number: int) -> None:
        """Open the saved or recent target with this number."""
        index = self._list.start.nth(number)
        if index is not None:
            self._choose(index)

    def action_demo(self) -> None:
        self._take(OpenDemo())

    async def action_go(self) -> None:
        """Open what is typed; if nothing is, the selected row."""
        await self.query_one(OpenLine).action_submit()

    def action_type(self) -> None:
        """Focus the input line."""
        self.query_one(Input).focus()

    def action_list(self) -> None:
        self._list.focus()

    def leave(self) -> None:
        """Go back one step. Without a screen to return to, clear the input, then focus the list; otherwise leave."""
        line = self.query_one(Input)
        if line.value and self._alone:
            line.value = ""
            line.focus()
        elif self._alone:
            self._list.focus()
        else:
            self.post_message(self.Left())

    def action_add(self) -> None:
        """Save a new target, prefilled from the input line."""
        typed = self.typed.strip()
        is_url = typed.startswith(("http://", "https://"))
        self._edit(SavedTarget("", command="" if is_url else typed, url=typed if is_url else ""))

    def action_edit(self) -> None:
        """Edit the selected target; a recent one becomes a saved one."""
        known = self._target()
        if known is None:
            return
        if known.saved is not None:
            self._edit(known.saved, instead_of=known.saved.name)
        elif (recent := known.recent) is not None:
            command = shlex.join(recent.argv)
            self._edit(SavedTarget(recent.name, command, recent.url, recent.cwd, list(recent.variables)))

    def _edit(self, target: SavedTarget, *, instead_of: str = "") -> None:
        def edited(name: str | None) -> None:
            if name is not None:
                self._read_again(name)

        self.app.push_screen(TargetScreen(self._saved, target, instead_of), edited)

    def _read_again(self, name: str = "") -> None:
        own = places()
        self._known, trouble = known_targets(own.config, own.state)
        self._list.start = self._list.source = self._rows()
        number = next((at for at, each in enumerate(self._known, 1) if each.name == name), 0)
        self._list.go_to(self._list.start.nth(number) or 0)
        self._list.focus()
        self.refresh_bindings()
        if trouble:
            self._say(trouble)

    def action_delete(self) -> None:
        """Delete the selected target after confirmation."""
        known = self._target()
        if known is None:
            return
        kind = "saved" if known.saved else "recent"
        question: Line = ((f"Delete the {kind} target {visible(known.name, limit=60)}?", "text"),)
        choice = typed_of(known)
        quoted = visible(choice.url or shlex.join(choice.argv), limit=500)

        def answered(sure: bool | None) -> None:
            if not sure:
                return
            try:
                if known.saved is not None:
                    self._saved.delete(known.saved.name)
                if known.recent is not None:
                    self._recent.forget(known.recent.key)
            except UsageError as error:
                self._say(str(error))
            self._read_again()

        self.app.push_screen(ConfirmScreen("Delete target", [question], quoted, ("Back", "Delete")), answered)


class TargetScreen(FieldsScreen["str | None"]):
    """Form that saves a target. Returns its name; None if nothing was saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("target.save")),
        keys.binding(keys.action("target.leave")),
    ]
    DEFAULT_CSS = """
    TargetScreen VerticalScroll { max-height: 18; }
    """

    def __init__(self, saved: SavedTargets, target: SavedTarget, instead_of: str) -> None:
        self._saved, self._instead_of = saved, instead_of
        headers = "; ".join(f"{name}: {value}" for name, value in target.headers.items())
        address, variables = target.url or target.command, shlex.join(target.variables)
        values = (target.name, address, target.directory, variables, headers, target.era)
        title = f"Edit {visible(instead_of, limit=60)}" if instead_of else "Add target"
        super().__init__(title, [LineEdit(value, unset=True) for value in values])

    def labels(self) -> Iterable[Text]:
        """Return the name of each field with a hint."""
        for _, label, about in _FIELDS:
            yield Text.assemble((label, "bold"), f"  {about}", no_wrap=True, overflow="ellipsis")

    def finish(self) -> None:
        values = {name: edit.value for (name, _, _), edit in zip(_FIELDS, self._edits, strict=True)}
        try:
            target = target_from(values)
            self._saved.save(target, instead_of=self._instead_of)
        except UsageError as error:
            self.say_wrong(str(error))
            return
        self.dismiss(target.name)

    def action_save(self) -> None:
        self.finish()


class OpenScreen(Dialog["StartChoice | None"]):
    """Returns what to open in a new tab; None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [replace(keys.binding(keys.action("back")), show=True)]
    DEFAULT_CSS = """
    OpenScreen { background: $background; layout: vertical; }
    """

    def __init__(
        self, servers: Sequence[FoundServer], captures: Sequence[Capture], *, typed: str = "", problem: str = ""
    ) -> None:
        """`typed` and `problem`: text typed earlier, and why it could not be opened; "" at first."""
        super().__init__()
        self.pane = StartPane(servers, captures, typed=typed, problem=problem)

    def compose(self) -> ComposeResult:
        """Lay out a title and the pane."""
        bar = ItemBar()
        bar_item = BarItem((("Opens in a new tab.", "text"),), rank=1)
        bar.show([BarLine((BarItem((("Open another server", "title"),)), bar_item), inset=1)])
        yield bar
        yield self.pane
        yield FooterBar()

    def on_start_pane_chosen(self, message: StartPane.Chosen) -> None:
        self.dismiss(message.choice)

    def on_start_pane_left(self, message: StartPane.Left) -> None:
        """Return None."""
        self.dismiss(None)

    def action_back(self) -> None:
        """Leave without opening anything."""
        self.pane.leave()
