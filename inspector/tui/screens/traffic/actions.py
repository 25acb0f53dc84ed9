"""Actions on the traffic list: navigation, columns, times, filter and search, marks, resending a request."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textual.widget import Widget

from inspector.capture.format.notes import COLOURS
from inspector.capture.journal import Journal
from inspector.errors import InspectError, UsageError
from inspector.features.cases.file import SUFFIX, add_cases, beside
from inspector.features.cases.making import SeenExchange, case_of, proposals, seen, with_failure
from inspector.features.cases.model import Expectation, ExpectationKind
from inspector.features.cases.running import shown, value_at
from inspector.features.resend.resend import RecordedRequest, again, may_destroy, outcome
from inspector.filters.language.completion import describe
from inspector.filters.language.fields import Has, Ref
from inspector.present.spans import Span
from inspector.present.trace import trace_of
from inspector.present.traffic.columns import FIELD
from inspector.protocol import peek
from inspector.protocol.changes import ABSENT
from inspector.protocol.exchanges import Exchange
from inspector.protocol.listed_items import Tool
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.notes import notes_of
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.screens.traffic.dialogs import ColumnsScreen, GoToScreen, TraceScreen
from inspector.tui.screens.traffic.filter_model import combined, path_test, ref_of_path, row_test
from inspector.tui.screens.traffic.list import TrafficList
from inspector.tui.screens.traffic.waterfall import WaterfallScreen
from inspector.tui.tabs import Tab
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import CommentScreen
from inspector.tui.widgets.search_bar import NO_FILTER

_WORDS = {
    ExpectationKind.EQUALS: "equals {}",
    ExpectationKind.TYPE: "is of type {}",
    ExpectationKind.EXISTS: "exists",
    ExpectationKind.MATCHES: "matches the pattern {}",
    ExpectationKind.SCHEMA: "matches the schema {}",
    ExpectationKind.FASTER: "received within {} ms",
    ExpectationKind.SNAPSHOT: "equals this, ignoring generated ids and times",
}

_MARKED = "mark"
"""Filter that shows only marked rows."""


@runtime_checkable
class ShowsExchange(Protocol):
    """A widget that shows a request or its response."""

    @property
    def exchange(self) -> Exchange | None:
        """Its exchange."""


PointOut = Callable[[int, int, str, tuple[int, int] | None], None]
"""Selects a value in the detail of a row: row, entry, JSON pointer, bytes."""


def expect(view: Widget, place: str | None) -> None:
    """Ask for the expected value, and add it to the file of cases. `place`: see `PayloadActions.ExpectWanted`."""
    above: Any = view.ancestors
    shows = next((each for each in above if isinstance(each, ShowsExchange)), None)
    if shows is not None and shows.exchange is not None and shows.exchange.asks:
        _say(view, "This result only requires input. Select a value in the final result of the call.", grave=True)
        return
    journal: Journal = view.app.conversation.journal  # type: ignore[attr-defined]
    came = seen(journal, shows.exchange) if shows is not None and shows.exchange is not None else None
    value = ABSENT if came is None or place is None else value_at(came.reply, place)
    if came is None or place is None or value is ABSENT:
        _say(view, "Select a value in the tree of a response.", grave=True)
        return
    choices = proposals(place, value, came.ms, declares_output=_declares_output(journal, came))
    labels = [_WORDS[each.kind].format(shown(each.value)) for each in choices]

    def chosen(at: int | None) -> None:
        if at is not None:
            view.run_worker(lambda: _add(view, journal, came, choices[at]), thread=True, group="expect")

    view.app.push_screen(
        ChooseScreen(visible(f"Add assertion for {place or 'the entire response'}", limit=200), labels), chosen
    )


def _add(view: Widget, journal: Journal, came: SeenExchange, expectation: Expectation) -> None:
    path = beside(journal.capture_path) if journal.capture_path is not None else Path.cwd() / f"mcp-inspect{SUFFIX}"
    case = case_of(came.method, came.params, with_failure(expectation, came.reply), came.answers)
    try:
        opening = journal.conversation.opening
        count = add_cases(path, [case], opening.revision.date if opening is not None else "")
    except InspectError as error:
        view.app.call_from_thread(_say, view, error.full_text, grave=True)
        return
    cases = "1 test case" if count == 1 else f"{count:,} test cases"
    view.app.call_from_thread(_say, view, f"Added. {cases} in the file. Run: mcp-inspect test {path} TARGET")


def _declares_output(journal: Journal, came: SeenExchange) -> bool:
    """Whether the called tool has an outputSchema in the latest list."""
    tools = map(Tool, journal.conversation.catalogue.listings["tools"].items)
    name = peek.text(came.params, "name")
    return came.method == "tools/call" and any(each.name == name and each.output_schema is not None for each in tools)


def _say(view: Widget, sentence: str, *, grave: bool = False) -> None:
    severity = "warning" if grave else "information"
    view.app.notify(sentence, timeout=8, severity=severity)  # type: ignore[arg-type]


class TrafficNavigation:
    """Navigation, columns and times."""

    def __init__(self, traffic: TrafficList, detail: Callable[[], DetailPanel], point_out: PointOut) -> None:
        """`detail` returns the panel that shows the selected message."""
        self.list = traffic
        self._detail = detail
        self._point_out = point_out

    def action_exchange(self, by: int) -> None:
        """Go to the next (1) or previous (-1) request."""
        index = self.list.model.jumps.exchange(self.list.rows.view.cursor, back=by < 0)
        if index is not None:
            self.list.rows.go_to(index)

    def action_pair(self) -> None:
        """Go from a request to its response or back.

        In the tree, where both share a row, the detail switches to the other side.
        """
        if self.list.model.tree:
            if not self._detail().switch_side():
                self.list.notify(
                    "No other message is shown: a pair is one row of the tree, which opens in full.", timeout=3
                )
            return
        partner = self.list.model.jumps.partner(self.list.rows.view.cursor)
        if partner is None:
            self.list.notify("No request or response belongs to this entry.", timeout=3)
        elif not self.list.go_to_entry(partner):
            self.list.notify("It is hidden by the filter.", timeout=3)

    def action_origin(self) -> None:
        """Go to the entry that caused the selected one."""
        n = self.list.model.jumps.origin(self.list.rows.view.cursor)
        if n is None:
            self.list.notify("No cause found for this entry.", timeout=3)
        elif not self.list.go_to_entry(n):
            self.list.notify(f"#{n} is hidden by the filter.", timeout=3)

    def action_error(self, by: int) -> None:
        """Go to the next (1) or previous (-1) error."""
        jumps, at = self.list.model.jumps, self.list.rows.view.cursor
        index = jumps.error(at, back=by < 0)
        self._go(index, "error", by, has_other=index is None and jumps.error(at, back=by > 0) is not None)

    def action_finding(self, by: int) -> None:
        """Go to the next (1) or previous (-1) row with a finding, and select its evidence."""
        model, rows = self.list.model, self.list.rows
        n = model.jumps.entry_at(rows.view.cursor)
        index = model.marks.next(n, back=by < 0)
        self._go(index, "finding", by, has_other=index is None and model.marks.next(n, back=by > 0) is not None)
        if index is None:
            return
        found = model.marks.of_row(model.jumps.entry_at(index))
        if found and found[0].frames:
            self._point_out(index, found[0].frames[0], found[0].pointer, found[0].span)

    def action_within(self, by: int) -> None:
        """Go to the next (1) or previous (-1) entry of the exchange."""
        self._go(self.list.model.jumps.within(self.list.rows.view.cursor, back=by < 0), "entry of this exchange", by)

    def _go(self, index: int | None, what: str, by: int, *, has_other: bool = False) -> None:
        """Go to a row; None: there is none in that direction. `has_other`: there is one in the other direction."""
        if index is not None:
            self.list.rows.go_to(index)
            return
        way, back = ("next", "before") if by > 0 else ("previous", "after")
        key = keys.shown_key(f"traffic.{what}{'_before' if by > 0 else ''}") if has_other else ""
        self.list.notify(
            f"No {way} {what}" + (f"; {key} goes to the one {back} this row." if has_other else "."), timeout=3
        )

    def action_go_to(self) -> None:
        """Ask for an entry number or a time, and go to it."""
        self.list.app.push_screen(GoToScreen(self.list.model.jumps.entry), self._went)

    def _went(self, n: int | None) -> None:
        model = self.list.model
        if n and not self.list.go_to_entry(n) and model.count:
            self.list.rows.go_to(model.jumps.nearest(n))

    def action_times(self) -> None:
        """Switch to the next time format."""
        self.list.look.set(self.list.look.now.next_mode())

    def action_reference(self) -> None:
        """Measure times from the selected row; on the same row again, stop doing so."""
        self.list.look.toggle_reference()

    def action_trace(self) -> None:
        """Show the trace of the selected row's operation, and go to the entry chosen there."""
        conversation, n = self.list.filters.conversation, self.list.chosen
        trace = trace_of(conversation.journal, n)
        if trace is None:
            self.list.notify("This entry belongs to no request, so there is no trace.", timeout=3)
        else:
            self.list.app.push_screen(TraceScreen(conversation, trace, n), self._went)

    def action_columns(self) -> None:
        """Let the user choose the columns."""
        self.list.app.push_screen(ColumnsScreen(self.list.look.names, self.list.look.choose))

    def action_as_column(self) -> None:
        """Add the selected value of the payload as a column, or remove that column."""
        detail = self._detail()
        chosen = detail.chosen_value() if detail.has_focus_within else None
        ref = ref_of_path(chosen[0]) if chosen is not None else None
        if ref is None:
            self.action_columns()
            return
        name = FIELD + describe(Has(ref))
        now = self.list.look.names
        if name in now:
            self.list.look.choose(tuple(each for each in now if each != name))
            self.list.notify(f"{name[1:]} is no longer a column.", timeout=3)
            return
        at = now.index("what") + 1 if "what" in now else len(now)
        self.list.look.choose((*now[:at], name, *now[at:]))
        self.list.notify(f"{name[1:]} is a column now. {keys.shown_key('traffic.columns')} changes columns.", timeout=3)

    def action_waterfall(self) -> None:
        """Show the filtered exchanges on a time axis, and go to the one chosen there."""
        conversation, chosen, listed = self.list.filters.conversation, self.list.chosen, self.list
        self.list.app.push_screen(
            WaterfallScreen(conversation, chosen, lambda: listed.model.exchanges_shown), self._went
        )


class TrafficFiltering:
    def __init__(self, traffic: TrafficList, detail: Callable[[], DetailPanel]) -> None:
        self.list = traffic
        self._detail = detail

    def action_filter(self) -> None:
        self.list.filters.open()

    def action_clear_filter(self) -> None:
        if not self.list.leave_filter():
            self.list.notify(NO_FILTER, timeout=3)

    def action_find(self) -> None:
        """Open the search line."""
        self.list.filters.open_finder()

    def action_pairs(self) -> None:
        """Toggle whether matches are shown with their request or response."""
        shown = self.list.show_partners()
        where = " The tree shows each pair as one row." if self.list.model.tree else ""
        self.list.notify(f"Matches {'with' if shown else 'without'} their request or response.{where}", timeout=3)

    def action_by_value(self, how: str) -> None:
        """Filter by the selected value of the payload, or else by the row."""
        detail = self._detail()
        chosen = detail.chosen_value() if detail.has_focus_within else None
        if chosen is not None:
            test = path_test(*chosen)
        else:
            test = row_test(self.list.filters.conversation.journal, self.list.chosen) if self.list.chosen else None
        if test is None:
            self.list.notify("No value to filter by.", timeout=3)
            return
        pane = self.list.filters
        pane.set(combined(pane.text, test, how))


class TrafficMarking:
    """Marks and comments on rows of a list."""

    def __init__(self, traffic: TrafficList) -> None:
        self.list = traffic

    def action_mark(self) -> None:
        """Mark the selected row, or remove its mark."""
        n = self.list.chosen
        if not n:
            return
        noted = notes_of(self.list.filters.conversation)
        self._note(lambda: noted.unmark(n) if n in noted.notes.marks else noted.mark(n))

    def action_comment(self) -> None:
        """Mark the selected row with a colour and a comment."""
        n = self.list.chosen
        if not n:
            return

        noted = notes_of(self.list.filters.conversation)
        before = noted.mark_at(n)

        def written(found: tuple[str, str] | None) -> None:
            if found is not None:
                self._note(lambda: noted.mark(n, color=found[0], text=found[1]))

        self.list.app.push_screen(CommentScreen(n, before.color, before.text, COLOURS), written)

    def action_only_marked(self) -> None:
        """Toggle a filter that shows only marked rows."""
        pane = self.list.filters
        before = pane.text.strip()
        if before == _MARKED or before.endswith(f" and {_MARKED}"):
            pane.set(before.removesuffix(_MARKED).removesuffix(" and "))
        else:
            pane.set(combined(before, Has(Ref(_MARKED)), "and"))

    def _note(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UsageError as error:
            self.list.notify(error.full_text, severity="error")
        self.list.show_notes()


# Resending to the same server, or from a capture to the server that is open.


class Resending:
    """Sends a request of a list again."""

    def __init__(self, traffic: TrafficList) -> None:
        self.list = traffic

    def action_resend(self) -> None:
        """Send the selected row's request again."""
        conversation = self.list.filters.conversation
        asked = again(conversation.journal, self.list.chosen)
        if isinstance(asked, str):
            self.list.app.notify(asked)
            return
        receiver = self._receiver(conversation)
        if isinstance(receiver, str):
            self.list.app.notify(receiver)
        elif receiver is conversation and not may_destroy(asked, conversation.journal.conversation.catalogue.tools):
            self.list.run_worker(self._resend(receiver, asked), group="resending")
        else:
            self._ask(receiver, asked, destroys=may_destroy(asked, receiver.journal.conversation.catalogue.tools))

    def _receiver(self, conversation: OpenConversation) -> OpenConversation | str:
        """Return the server to send to, or why there is none."""
        is_open = ConversationStage.OPEN
        if conversation.can_act:
            closed = f"Not connected. {keys.shown_key('reconnect')} reconnects."
            return conversation if conversation.stage is is_open else closed
        tabs: Iterable[Tab] = getattr(self.list.app, "tabs", ())
        there = [each for tab in tabs if (each := tab.conversation).can_act and each.stage is is_open]
        if not there:
            return f"This is a capture and no server is open. {keys.shown_key('tabs.open')} opens one."
        return there[0] if len(there) == 1 else "Several servers are open. Go to one of them and use the Composer."

    def _ask(self, receiver: OpenConversation, asked: RecordedRequest, *, destroys: bool) -> None:
        about, to = visible(f"{asked.method} {asked.target}".rstrip(), limit=100), visible(receiver.about.label)
        lines: list[list[Span]] = [
            [("Send ", "text"), (about, "method"), (" to ", "text"), (to, "strong"), (".", "text")]
        ]
        if destroys:
            lines.append([("destructiveHint is not false: this may change data.", "warning")])
        quoted = visible(asked.quoted, limit=2000) or "no params"

        def answered(yes: bool | None) -> None:
            if yes:
                self.list.run_worker(self._resend(receiver, asked), group="resending")

        self.list.app.push_screen(ConfirmScreen("Resend", lines, quoted, ("Back", "Resend")), answered)

    async def _resend(self, receiver: OpenConversation, asked: RecordedRequest) -> None:
        def opened(exchange: Exchange) -> None:
            if receiver is self.list.filters.conversation:
                self.list.request_entry(exchange.request_frame)

        called = await receiver.call(asked.method, asked.params, opened)
        self.list.app.notify(f"{asked.method} {asked.target}: {outcome(asked, called)}".replace(" :", ":"))
