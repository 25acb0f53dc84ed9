"""Drawer of Tools, Resources and Prompts: saved calls of the project, and calls of earlier sessions.

It is visible as soon as there is such a call. A saved call runs after the calls that it depends on, with the
variables of the chosen environment; secrets are masked in the recording. Files are read and written on threads.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.widget import Widget

from inspector.config.history import StoredCall, StoredCalls
from inspector.config.paths import places
from inspector.config.remembered import KeptEnvironments
from inspector.config.settings import user_config
from inspector.errors import InspectError, UsageError
from inspector.features.cases.collection import (
    Collection,
    SavedCall,
    collections_near,
    delete_call,
    duplicate_call,
    environments,
    open_collection,
    rename_call,
    save_call,
    saved_calls,
)
from inspector.features.cases.model import CaseDefinition, Cases, escaped
from inspector.features.cases.running import CaseRun
from inspector.features.cases.values import Values
from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.present.result import CallOutcome
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.protocol import peek
from inspector.protocol.credentials import SecretValues, has_masked
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import GivenUp, Replied, Silent
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.listed_items import ListedItem
from inspector.text import cell_width, fit, human_duration, pad, visible
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.panels import RerunCall
from inspector.tui.results.calls import RunningCall
from inspector.tui.screens.items.case_runner import CaseRunner, no_secret, plans
from inspector.tui.screens.items.fitting import fitting
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import NameScreen
from inspector.tui.widgets.virtual_list import LogList

FILE = "calls.mcp.yaml"
"""File for saved calls if the project has none."""
_EVERY_S = 2.0
"""Seconds between two checks of the files."""
_MOST = 8
"""Maximum rows of the drawer below a list."""
VAST = 200
"""Terminal columns from which the drawer has its own column."""
_HIGH = 30
"""Screen rows from which the drawer may use its maximum rows."""
_ENVIRONMENTS: dict[Path, str] = {}
"""Chosen environment of each project, shared by all screens; read from the state directory at first."""

_SIGNS: dict[str, tuple[str, Role]] = {
    CallOutcome.OK.value: ("ok", "ok"),
    CallOutcome.TOOL_ERROR.value: ("error", "error"),
    CallOutcome.JSONRPC_ERROR.value: ("error", "error"),
}


class CallRows(RowSource):
    """Saved calls with their verdicts, or calls of earlier sessions."""

    def __init__(self) -> None:
        self.saved: Sequence[SavedCall] = ()
        self.recent: Sequence[StoredCall] = ()
        self.shows_saved = True
        self.verdicts: dict[tuple[Path, str], CaseRun | None] = {}
        """Verdicts of calls run here; None while one runs."""
        self.marked: set[tuple[Path, str]] = set()
        """Calls that run after each restart of the server."""

    def touch(self) -> None:
        """Mark the rows as changed."""
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self.saved) if self.shows_saved else len(self.recent)

    def row(self, index: int, width: int) -> RowView:
        return RowView(lay(self._saved(index, width) if self.shows_saved else self._recent(index, width), width))

    def _saved(self, index: int, width: int) -> list[Span]:
        call = self.saved[index]
        if call.case is None:
            return [(f"{glyphs().error} {visible(call.fault, limit=300)}", "error")]
        key = call.path, call.case.name
        right: list[Span] = _verdict(self.verdicts[key]) if key in self.verdicts else []
        if call.case.isolate:
            right = [("not isolated ", "faint"), *right]
        room = max(8, width - sum(cell_width(part) for part, _ in right) - 1)
        mark = f"{glyphs().mark} " if key in self.marked else ""
        name = fit(visible(call.case.name, limit=200), room - cell_width(mark))
        about = pad(f"  {visible(_about(call.case.params), limit=100)}", room - cell_width(mark) - cell_width(name))
        return [(mark, "accent"), (name, "text"), (about, "faint"), (" ", "text"), *right]

    def _recent(self, index: int, width: int) -> list[Span]:
        call = self.recent[index]
        sign, role = _SIGNS.get(call.status, ("warning", "warning"))
        arguments = peek.at(call.params, "arguments")
        shown = "" if arguments in (None, {}) else json_text(arguments, indent=None)
        today = time.strftime("%x", time.localtime(call.time_ns / 1e9)) == time.strftime("%x")
        when = time.strftime("%H:%M" if today else "%d %b", time.localtime(call.time_ns / 1e9))
        return [
            (f"{getattr(glyphs(), sign)} ", role),
            (pad(when, 7), "faint"),
            (visible(call.target, limit=200), "text"),
            (f"  {visible(shown, limit=300)}", "faint"),
        ]


class WantedCall(msgspec.Struct, frozen=True):
    target: str
    """Name of the tool or prompt, or URI."""
    params: Any = None
    """Params for the form."""
    exchange: Exchange | None = None
    """Exchange whose result to show, if the call was run."""


def _verdict(ran: CaseRun | None) -> list[Span]:
    if ran is None:
        return [(f"{glyphs().pending} running", "accent")]
    took = "" if ran.response.ms is None else f" {human_duration(round(ran.response.ms * 1e6)):>7}"
    return [(f"{glyphs().ok} OK", "ok") if ran.passed else (f"{glyphs().error} Failed", "error"), (took, "muted")]


def _about(params: Any) -> str:
    return peek.text(params, "name") or peek.text(params, "uri") or ""


class _Line(ItemBar):
    """Bar of the drawer; a click on an item runs the action that it is named after."""

    DEFAULT_CSS = "_Line { height: 1; background: $surface; }"

    def __init__(self, do: Callable[[str], object]) -> None:
        super().__init__()
        self._do = do

    def pressed(self, name: str) -> None:
        self._do(name)


class SavedCalls(Widget):
    """Drawer of one screen."""

    BINDINGS = keys.bindings("Saved calls")
    DEFAULT_CSS = """
    SavedCalls { display: none; width: 1fr; height: auto; layout: vertical; border-top: solid $border-blurred; }
    SavedCalls.-shown { display: block; }
    SavedCalls.-column { height: 1fr; border-top: none; border-left: solid $border-blurred; }
    """

    def __init__(self, conversation: OpenConversation, method: str, show: Callable[[WantedCall], object]) -> None:
        """`method` is the method of the screen; `show` opens a call or shows its result."""
        super().__init__()
        self._conversation = conversation
        self._method = method
        self._show = show
        self._runner = CaseRunner(conversation, lambda work: self.run_worker(work, group="saved-responses"))
        self._rows = CallRows()
        self._files: tuple[Path, ...] = ()
        self._all: Sequence[SavedCall] = ()
        """The saved calls of the directory, also those of other servers."""
        self._fitted: tuple[int, ...] = ()
        """Lists of the server that they were compared with."""
        self._stamp: object = None
        self._panel_width = 0
        self._looked_at = 0.0
        self._had_calls = False
        """Whether there are calls of earlier sessions; calls of this session do not open the drawer."""
        self._has_chosen_tab = False
        self._looks = False
        """Whether a thread is reading the files."""
        self._secrets: set[str] = set()
        self._progress: list[Span] = []
        self._chosen_to_show: bool | None = None
        self._head, self._foot = _Line(self._pressed), _Line(self._pressed)
        self.list = LogList(self._rows, empty=[[("No saved calls. ", "muted"), (_saves(), "faint")]])

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.list
        yield self._foot

    # State

    @property
    def environment(self) -> str:
        """Chosen environment; "" for none."""
        return _ENVIRONMENTS.get(Path.cwd(), "")

    @property
    def is_shown(self) -> bool:
        """Whether it is visible: by the user's choice, else if there is a saved call or one of an earlier session."""
        if self._chosen_to_show is not None:
            return self._chosen_to_show
        return self._conversation.can_act and bool(self._rows.saved or self._had_calls)

    def rebind(self, conversation: OpenConversation) -> None:
        self._conversation = self._runner.conversation = conversation
        self._secrets = set()
        self._looked_at = 0.0

    def sync(self) -> None:
        """Check the files at intervals."""
        if self.is_attached and self._fitted != _lists(self._conversation):
            self._fit()
            self._renew()
        if self.is_attached and not self._looks and time.monotonic() - self._looked_at >= _EVERY_S:
            self._looks = True
            self._look()

    @work(group="saved-look")
    async def _look(self) -> None:
        try:
            await self._refresh()
        finally:
            self._looked_at, self._looks = time.monotonic(), False

    async def _refresh(self) -> None:
        """Read the files and the stored calls if they have changed."""
        key, before = self._conversation.memory.key, self._stamp

        def read() -> tuple[tuple[Path, ...], object, list[SavedCall], list[StoredCall]] | None:
            project = Path.cwd()
            files = collections_near(project)
            if project not in _ENVIRONMENTS:
                _ENVIRONMENTS[project] = KeptEnvironments(places().state).of(project)
            store = StoredCalls(places().state)
            stamp = (files, *map(_stamp, files), store.stamp(key) if key else None)
            if stamp == before:
                return None
            stored = _different(call for call in store.of(key) if call.method == self._method) if key else []
            saved = [each for each in saved_calls(files) if each.case is None or each.case.request == self._method]
            return files, stamp, saved, stored

        found = await asyncio.to_thread(read)
        if found is None:
            return
        self._files, self._stamp, self._all, self._rows.recent = found
        self._fit()
        if before is None:
            self._had_calls = bool(self._rows.recent)
            self._rows.shows_saved = bool(self._rows.saved) or not self._rows.recent
        self._renew()

    def _fit(self) -> None:
        """Show the saved calls that fit the server."""
        self._fitted, had_some = _lists(self._conversation), bool(self._rows.saved)
        self._rows.saved = fitting(self._all, self._conversation)
        if self._rows.saved and not had_some and not self._has_chosen_tab:
            self._rows.shows_saved = True  # they may fit only once the server has listed its items

    def _renew(self) -> None:
        """Redraw the drawer."""
        is_column = self.is_shown and self._panel_width >= VAST
        self.update_classes({"-shown": self.is_shown, "-column": is_column})
        if self.parent is not None:
            self.parent.set_class(is_column, "-beside")
        rows = self._rows
        saved = sum(call.case is not None for call in rows.saved)
        tabs = [
            _tab(f"Saved {saved}" if saved else "Saved", "saved", chosen=rows.shows_saved),
            _tab(f"Recent {len(rows.recent)}" if rows.recent else "Recent", "recent", chosen=not rows.shows_saved),
        ]
        named = self.environment or ("none" if _environments(self._files) else "")
        right = (BarItem(((f"env: {visible(named, limit=20)} ", "accent" if self.environment else "faint"),), "env"),)
        self._head.show([BarLine(left=tuple(tabs), right=right if named else (), gap=0, inset=0)])
        left = []
        if rows.shows_saved and saved:
            left.append(BarItem((("[ ", "faint"), ("Run all", "text"), _key("saved.all"), (" ]", "faint")), "all"))
        if rows.shows_saved and (others := len(self._all) - len(rows.saved)):
            left.append(BarItem(((f"{others} for other servers", "faint"),)))
        if self._progress and rows.shows_saved:
            left.append(BarItem(tuple(self._progress)))
        self._foot.show([BarLine(left=tuple(left), inset=1)])
        self._foot.display = bool(left)
        rows.touch()
        most = _MOST if self.app.size.height >= _HIGH else _MOST // 2
        self.list.styles.height = "1fr" if is_column else max(1, min(rows.count, most))
        self.list.sync()

    def _chosen(self) -> SavedCall | StoredCall | None:
        at, calls = self.list.view.cursor, self._rows.saved if self._rows.shows_saved else self._rows.recent
        return calls[at] if 0 <= at < len(calls) else None

    def _chosen_case(self) -> tuple[Path, CaseDefinition] | None:
        """Return the saved call under the cursor; None for a recent call and for an unreadable file."""
        call = self._chosen()
        return (call.path, call.case) if isinstance(call, SavedCall) and call.case is not None else None

    # Storing

    def store(self, call: RunningCall) -> None:
        """Store a call of this session for later sessions."""
        if call.exchange is None:
            return
        params: dict[str, Any] = {"name": call.item.name} if call.params is None else dict(call.params)
        if call.params is None and call.arguments is not UNSET:
            params["arguments"] = call.arguments
        took = call.exchange.duration_ns
        ms = None if took is None else round(took / 1e6, 3)
        label = self._conversation.about.label
        self._keep(StoredCall(time.time_ns(), call.method, params, _outcome(call.called), ms, label))

    def _keep(self, call: StoredCall) -> None:
        key, secrets = self._conversation.memory.key, tuple(self._secrets)
        store = StoredCalls(places().state, on=user_config().history == "on")

        async def add() -> None:
            await asyncio.to_thread(store.add, key, call, secrets)
            await self._refresh()

        if key:
            self.run_worker(add, group="saved-store")  # type: ignore[arg-type]

    # Opening and running

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Put the call into the form of its item."""
        event.stop()
        call = self._chosen()
        if isinstance(call, StoredCall):
            if call.is_cut:
                self._tell("Its arguments were too large to store.")
            self._show(WantedCall(call.target, call.params))
        elif call is not None and call.case is not None:
            self._open(call.path, call.case)
        elif call is not None:
            self._tell(call.fault, error=True)

    @work(group="saved-open", exclusive=True)
    async def _open(self, path: Path, case: CaseDefinition) -> None:
        environment = self.environment

        def filled() -> Any:
            return Values(open_collection(path, environment), no_secret).filled(case.params)

        try:
            params, left = await asyncio.to_thread(filled)
        except UsageError as error:
            self._tell(error.full_text, error=True)
            return
        if left:
            self._tell(
                f"{', '.join(left)}: filled in only by {keys.shown_key('saved.run')}, which runs the saved call."
            )
        self._show(WantedCall(_about(params), params))

    def action_run(self) -> None:
        """Run the call under the cursor."""
        call = self._chosen()
        if isinstance(call, StoredCall):
            if call.is_cut or has_masked(call.params):
                self._tell("Not stored in full: a credential, or large arguments. Enter opens the form.")
            else:
                self._run_again(call)
        elif (found := self._chosen_case()) is not None:
            self._run([found], show=True)

    def action_run_all(self) -> None:
        """Run all visible calls, in order."""
        self._run([(each.path, each.case) for each in self._rows.saved if each.case is not None], show=False)

    @work(group="saved-run", exclusive=True)
    async def _run(self, chosen: Sequence[tuple[Path, CaseDefinition]], *, show: bool) -> None:
        await self._run_now(chosen, show=show)

    async def run_marked(self) -> list[RerunCall]:
        """Run the marked calls again, except those of destructive tools that the user has not confirmed."""
        # Of all calls: which of them fit is not known until the restarted server has listed its items.
        listed = ((each.path, each.case) for each in self._all if each.case is not None)
        chosen = [(path, case) for path, case in listed if (path, case.name) in self._rows.marked]
        before, refused = dict(self._rows.verdicts), self._runner.destructive([case for _, case in chosen])
        allowed = [(path, case) for path, case in chosen if _about(case.params) not in refused]
        if allowed:
            await self._run_now(allowed, show=False)
        found = []
        for path, case in chosen:
            was, ran = before.get((path, case.name)), self._rows.verdicts.get((path, case.name))
            if (path, case) not in allowed:
                found.append(RerunCall(case.name, why="marked as destructive"))
            elif ran is not None:
                why = "" if ran.passed else ran.failures[0].sentence
                found.append(RerunCall(case.name, None if was is None else was.passed, ran.passed, why))
        return found

    async def _run_now(self, chosen: Sequence[tuple[Path, CaseDefinition]], *, show: bool) -> None:
        if not chosen or not await self._runner.connected(lambda message: self._say(message, "muted")):
            self._tell("Not connected." if chosen else "No saved calls.")
            return
        environment = self.environment
        try:
            runs = await asyncio.to_thread(plans, chosen, environment)
        except UsageError as error:
            self._tell(error.full_text, error=True)
            return
        asked = self._runner.destructive([case for _, cases in runs for _, case in cases])
        if asked and not await self._consent(asked):
            return
        passed = failed = 0
        self._rows.verdicts = {} if not show else self._rows.verdicts
        total = sum(len(cases) for _, cases in runs)
        for values, cases in runs:
            self._secrets.update(values.secrets)
            if self._secrets:
                self._conversation.journal.mask_with(SecretValues(self._secrets).masked)
            for path, case in cases:
                self._say(f"{passed + failed + 1} of {total}", "accent")
                ran = await self._run_one(values, path, case)
                passed, failed = passed + ran.passed, failed + (not ran.passed)
                self._say(f"{passed} passed, {failed} failed", "error" if failed else "ok")
                if not ran.passed and (show or total == 1):
                    self._tell(f"{case.name}: {ran.failures[0].sentence}", error=True)
        if show and self._runner.sent is not None:
            self._show(WantedCall(self._runner.sent.target, exchange=self._runner.sent))

    @work(group="saved-run", exclusive=True)
    async def _run_again(self, call: StoredCall) -> None:
        if not await self._runner.connected(lambda message: self._say(message, "muted")):
            self._tell("Not connected.")
            return
        case = CaseDefinition(call.target, call.method, escaped(peek.mapping(call.params)))
        if (asked := self._runner.destructive([case])) and not await self._consent(asked):
            return
        values = Values(Collection(Path(), Cases((), "")), no_secret)
        ran = await self._run_one(values, Path(), case)
        status = CallOutcome.OK if ran.passed else CallOutcome.TOOL_ERROR
        if "result" not in ran.response.reply:
            status = CallOutcome.JSONRPC_ERROR if ran.response.reply else CallOutcome.NO_ANSWER
        self._keep(msgspec.structs.replace(call, time_ns=time.time_ns(), status=status.value, ms=ran.response.ms))
        if self._runner.sent is not None:
            self._show(WantedCall(self._runner.sent.target, exchange=self._runner.sent))

    async def _run_one(self, values: Values, path: Path, case: CaseDefinition) -> CaseRun:
        key = path, case.name
        self._rows.verdicts[key] = None
        self._renew()
        ran: CaseRun | None = None
        try:
            ran = await self._runner.run(values, case)
        except InspectError as error:
            ran = CaseRun.failed(case, str(error))
        finally:
            if ran is None:  # the run was replaced by another one
                self._rows.verdicts.pop(key, None)
            else:
                self._rows.verdicts[key] = ran
            self._renew()
        return ran

    async def cancel(self) -> bool:
        """Cancel the request of a run; return whether one was open."""
        return await self._runner.cancel()

    async def _consent(self, names: Sequence[str]) -> bool:
        lines: list[list[Span]] = [[("Run calls of destructive tools?", "text")]]
        quoted = visible("\n".join(names), limit=2000, newlines=True)
        agreed = await self.app.push_screen_wait(ConfirmScreen("Destructive tools", lines, quoted, ("Back", "Run")))
        self._runner.confirmed.update(names if agreed else ())
        return bool(agreed)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Update the actions for the call under the cursor."""
        event.stop()
        self.refresh_bindings()

    # Editing

    def ask_to_save(self, item: ListedItem | None, params: dict[str, Any]) -> None:
        """Ask for a name and save the call of the form under it."""
        if item is None:
            return
        method = self._method
        files, chosen = self._files, self._chosen_case()
        path = chosen[0] if chosen is not None else files[0] if files else Path.cwd() / FILE

        def named(given: str | None) -> None:
            if given:
                self._edit(lambda: save_call(path, given, method, params), f"Saved in {path.name}.")

        asked = f"Name of the saved call, in {visible(path.name, limit=60)}"
        self.app.push_screen(NameScreen(asked, visible(item.name or item.key, limit=100), replaced=True), named)

    def resized(self, width: int) -> None:
        """Adapt to the width of the panel, in columns."""
        self._panel_width = width
        if self._stamp is not None:
            self._renew()

    def action_rename(self) -> None:
        if (found := self._chosen_case()) is None:
            return
        path, case = found

        def named(given: str | None) -> None:
            if given and given != case.name:
                self._edit(lambda: rename_call(path, case.name, given), "Renamed.")

        self.app.push_screen(NameScreen("New name of the saved call", case.name, replaced=True), named)

    def action_duplicate(self) -> None:
        if (found := self._chosen_case()) is not None:
            path, case = found
            self._edit(lambda: duplicate_call(path, case.name), "Duplicated.")

    def action_delete(self) -> None:
        """Delete the saved call after confirmation."""
        if (found := self._chosen_case()) is None:
            return
        path, case = found

        def answered(yes: bool | None) -> None:
            if yes:
                self._edit(lambda: delete_call(path, case.name), "Deleted.")

        lines: list[list[Span]] = [[(f"Delete this saved call from {visible(path.name, limit=60)}?", "text")]]
        quoted = visible(case.name, limit=300)
        self.app.push_screen(ConfirmScreen("Delete saved call", lines, quoted, ("Back", "Delete")), answered)

    @work(group="saved-edit")
    async def _edit(self, edit: Callable[[], object], message: str) -> None:
        try:
            secrets = await asyncio.to_thread(edit)
        except UsageError as error:
            self._tell(error.full_text, error=True)
            return
        names = ", ".join(map(str, secrets)) if isinstance(secrets, tuple) else ""
        self._tell(f"{message} Not written: a credential; set {names} to run the call." if names else message)
        self._chosen_to_show = True
        self._rows.shows_saved = True
        await self._refresh()

    # Keys and clicks

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("rename", "duplicate", "delete", "mark"):
            return self._chosen_case() is not None
        return bool(self._rows.saved) if action == "run_all" else True

    def action_mark(self) -> None:
        """Run the call after each restart, or no longer."""
        if (found := self._chosen_case()) is not None:
            self._rows.marked ^= {(found[0], found[1].name)}
            self._renew()

    def action_turn(self, by: int) -> None:
        """Show the other tab."""
        self._pressed("recent" if self._rows.shows_saved else "saved")

    def action_environment(self) -> None:
        names = ("", *_environments(self._files))
        if len(names) == 1:
            self._tell("There is no env/NAME.yaml beside the files of saved calls.")
            return

        def chosen(at: int | None) -> None:
            if at is not None:
                project = Path.cwd()
                _ENVIRONMENTS[project] = names[at]
                self._renew()
                keep = partial(KeptEnvironments(places().state).keep, project, names[at])
                self.run_worker(keep, thread=True, group="saved-environment")

        self.app.push_screen(ChooseScreen("Environment", ["no environment", *names[1:]]), chosen)

    def toggle(self) -> bool:
        """Show and focus the drawer, or hide it if it has the focus; return whether it is visible now."""
        self._chosen_to_show = not (self.is_shown and self.has_focus_within)
        self._renew()
        if self._chosen_to_show:
            self.call_after_refresh(self.list.focus)
        return self._chosen_to_show

    def _pressed(self, name: str) -> None:
        if name == "all":
            self.action_run_all()
        elif name == "env":
            self.action_environment()
        else:
            self._rows.shows_saved, self._has_chosen_tab = name == "saved", True
            self._renew()
            self.list.view.go_to(0)
            self.list.focus()

    def _say(self, words: str, role: Role) -> None:
        self._progress = [(words, role)]
        self._renew()

    def _tell(self, words: str, *, error: bool = False) -> None:
        self.app.notify(words, severity="error" if error else "information")


def _lists(conversation: OpenConversation) -> tuple[int, ...]:
    """Return what differs once the server has listed something again."""
    return tuple(map(id, conversation.journal.conversation.catalogue.listings.values()))


def _environments(files: Sequence[Path]) -> tuple[str, ...]:
    return environments(files[0]) if files else ()


def _outcome(called: Called | None) -> str:
    match called.reply if called is not None else None:
        case Replied(message=ResultResponse() as answer):
            failed = peek.flag(answer.result, "isError") is True
            return (CallOutcome.TOOL_ERROR if failed else CallOutcome.OK).value
        case Replied():
            return CallOutcome.JSONRPC_ERROR.value
        case Silent():
            return CallOutcome.TIMEOUT.value
        case GivenUp():
            return CallOutcome.CANCELLED.value
        case _:
            return CallOutcome.NO_ANSWER.value


def _different(calls: Iterable[StoredCall]) -> list[StoredCall]:
    """Return only the newest of calls with the same params."""
    found: dict[str, StoredCall] = {}
    for call in calls:
        found.setdefault(json_text(call.params, indent=None), call)
    return [*found.values()]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


def _tab(name: str, action: str, *, chosen: bool) -> BarItem:
    return BarItem(((f" {name} ", "title" if chosen else "muted"),), action, chosen=chosen)


def _key(action: str) -> Span:
    return f" {keys.shown_key(action)}", "accent"


def _saves() -> str:
    return f"{keys.shown_key('saved.save')} saves the call of the form."
