"""Layout of one row of the traffic list for a width. Reads the payload of the entry it shows, and no other.

`columns` defines the columns and the time formats.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import KIND_BITS, EntryKind, MessageKind
from inspector.capture.store.store import beginning
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.rows import RowView
from inspector.present.spans import Role, Span
from inspector.present.traffic.columns import LANE, PLAIN, Appearance, TimeMode, lay_out, since
from inspector.present.traffic.marks import finding_cells
from inspector.present.traffic.note_rows import mark_spans
from inspector.present.traffic.time_axis import TimeWindow, bar, lane_end, moment, role_of
from inspector.present.traffic.tree import RowRun, is_acknowledgment
from inspector.present.words import fraction, mark, progress_spans, state_of
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.facts import ConnectionFact, Fact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Cause, Frame

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.present.traffic.extra_cells import ExtraCells

_BAR = 10
"""Cells of the bar that shows a request's progress."""
_MOST_BEFORE = 300
"""How many entries before a run of stderr are searched for the message that it follows."""
_DURATION = re.compile(r" after [0-9.]{1,12} s")
_LOST_BYTES = "cannot read the message from the capture"


class RowPlace(msgspec.Struct, frozen=True):
    """The position of a row in its list."""

    tree: bool
    nested: bool = False
    folded: int = 0
    """Number of rows folded below it."""
    previous_ns: int | None = None
    """Time of the row above; None for the first row."""
    run: RowRun | None = None
    """The run of notifications or lines of stderr that the row begins."""
    grows: bool = False
    """Whether that run may still grow."""
    window: TimeWindow | None = None
    """Time span of the waterfall."""
    grade: int = 0
    """The highest severity of its findings: 3 error, 2 warning, 1 hint, 0 none."""
    found: "Sequence[Finding]" = ()
    """Its findings, most severe first, if the Finding column is shown."""


class RowWriter:
    """Builds the rows of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._extra: ExtraCells | None = None

    def row(
        self, n: int, exchange: Exchange | None, place: RowPlace, width: int, now_ns: int, look: Appearance = PLAIN
    ) -> RowView:
        cells = self._common(n, place, look)
        if place.grade:
            cells["mark"] = [mark(place.grade)]
            cells |= finding_cells(place.found, mark(place.grade)[1])
        if self._store.kind(n) is EntryKind.FRAME:
            self._frame(cells, n, exchange, place, now_ns)
        else:
            self._fact(cells, n, place.run)
        if self._journal.marks and (noted := self._noted(n, exchange, place)):
            cells["what"] = [*noted, *cells.get("what", [])]
        waits = exchange is not None and (exchange.is_open or self._goes_on(exchange))
        live = exchange is not None and waits and self._journal.live and self._is_open_row(n, exchange)
        shown = look.columns(width)
        if place.window is not None and any(column.name == "lane" for column in shown):
            cells["lane"] = self._lane(n, exchange, place, place.window, now_ns)
        if extra := look.extra(width):
            self._cells().add(cells, extra, n, exchange, tree=place.tree, now_ns=now_ns)
        return RowView(lay_out(cells, width, shown), live=live or place.grows)

    def _noted(self, n: int, exchange: Exchange | None, place: RowPlace) -> list[Span]:
        """Return the mark of an entry or, in the tree, of the response in the same row."""
        marks = self._journal.marks
        answer = exchange.answer_frame if place.tree and exchange is not None and exchange.request_frame == n else None
        found = marks.get(n) or (marks.get(answer) if answer else None)
        if found is None:
            return []
        return mark_spans(found)

    def _cells(self) -> "ExtraCells":
        if self._extra is None:
            from inspector.present.traffic.extra_cells import ExtraCells

            self._extra = ExtraCells(self._journal)
        return self._extra

    def _lane(self, n: int, exchange: Exchange | None, place: RowPlace, window: TimeWindow, now_ns: int) -> list[Span]:
        if place.run is not None and not place.run.opened:
            end = self._store.time_ns(place.run.last)
            return bar(self._store.time_ns(n), end, window, LANE, "notification")
        if exchange is None or exchange.request_frame != n:
            return moment(self._store.time_ns(n), window, LANE)
        return bar(exchange.started_ns, lane_end(exchange, now_ns), window, LANE, role_of(exchange))

    def _goes_on(self, exchange: Exchange) -> bool:
        """Whether an exchange continues after its response: input is required, or a task runs."""
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        runs = task is not None and not task.ended and task.exchange == exchange.number
        return runs or (exchange.asks and not exchange.retried)

    def _is_open_row(self, n: int, exchange: Exchange) -> bool:
        return exchange.request_frame == n or self._store.message_kind(n) is MessageKind.NOTIFICATION

    def _common(self, n: int, place: RowPlace, look: Appearance) -> dict[str, list[Span]]:
        when = look.time(n, self._store, place.previous_ns)
        cells: dict[str, list[Span]] = {
            "number": [(str(n), "faint")],
            "time": [when],
            "seconds": [(when[0][3:8] if look.mode is TimeMode.CLOCK else when[0].strip().rjust(8), when[1])],
            "size": [_size(self._store.size(n))],
        }
        if place.previous_ns is not None:
            cells["since"] = [(since(self._store.time_ns(n) - place.previous_ns), "faint")]
        return cells

    def _frame(
        self, cells: dict[str, list[Span]], n: int, exchange: Exchange | None, place: RowPlace, now_ns: int
    ) -> None:
        folded_run = place.run if place.run is not None and not place.run.opened else None
        entry = beginning(self._store, folded_run.last if folded_run is not None else n)
        frame, kind = entry.what, self._store.message_kind(n)
        if not isinstance(frame, Frame):
            return
        to_server = frame.direction.is_towards_server
        cells["way"] = [(signs.TO_SERVER, "to_server") if to_server else (signs.FROM_SERVER, "from_server")]
        cells["sent" if to_server else "came"] = cells["size"]
        cells["channel"] = [(frame.channel.value, "faint")]
        what: list[Span] = [(f"{signs.BRANCH} ", "faint")] if place.nested else []
        if place.run is not None:  # before the name, which is cut if space is short
            self._add_run_facts(cells, what, place.run)
            what.append((" ", "text"))
        if frame.direction.is_of_view:
            what.append(("view ", "muted"))
        what += self._named(n, kind, exchange, place)
        of_probe = exchange is not None and exchange.probe and kind is not MessageKind.NOTIFICATION
        if (frame.cause is Cause.PROBE or of_probe) and kind is not MessageKind.INVALID:
            what.append((" probe", "faint"))
        if entry.missing:
            what.append((f" {_LOST_BYTES}", "error"))
        cells["what"] = what
        if exchange is not None and kind is not MessageKind.NOTIFICATION:
            self._status(cells, n, exchange, place, now_ns)
        elif kind is MessageKind.INVALID:
            acknowledged = is_acknowledgment(self._journal, n)
            cells["status"] = [("Acknowledged", "muted") if acknowledged else (f"{signs.ERROR} Not JSON-RPC", "error")]
        elif kind in (MessageKind.RESPONSE, MessageKind.ERROR):
            cells["status"] = [(f"{signs.WARNING} No request", "warning")]
        elif (stopped := words.stopped_by_tap(self._journal, n)) is not None:
            cells["status"] = [stopped]
        if place.folded:
            what.append((f" {signs.CLOSED} {place.folded} more", "accent"))
        newest = self._progress_of_row(n, exchange, place)
        if newest is not None:
            what += [("  ", "text"), *words.bar(newest, _BAR), (" " if fraction(newest) is not None else "", "text")]
            what += progress_spans(newest, running=self._journal.live and exchange is not None and exchange.is_open)
            return
        preview = self._preview(n, frame, exchange, place)
        if preview[0]:
            what += [("  " if kind is not MessageKind.INVALID else "", "text"), preview]

    def _add_run_facts(self, cells: dict[str, list[Span]], what: list[Span], run: RowRun) -> None:
        """Add the number of folded entries and the time from the first to the last."""
        sign = signs.OPENED if run.opened else signs.CLOSED
        what.append((f"{sign} {signs.TIMES}{run.count:,}", "accent"))
        if not run.opened:
            cells["took"] = [
                (text.human_duration(self._store.time_ns(run.last) - self._store.time_ns(run.first)), "faint")
            ]
            cells["size"] = cells["sent"] = cells["came"] = []

    def _progress_of_row(self, n: int, exchange: Exchange | None, place: RowPlace) -> Progress | None:
        """Return the progress of a request, for the row that shows all of it; None for any other row."""
        if not place.tree or exchange is None or self._store.method(n) != "notifications/progress":
            return None
        return exchange.progress

    def _named(self, n: int, kind: MessageKind, exchange: Exchange | None, place: RowPlace) -> list[Span]:
        if kind is MessageKind.NOTIFICATION:
            method = self._store.method(n)
            if place.nested:
                method = method.removeprefix("notifications/")
            count = exchange.progress.count if place.tree and exchange is not None and exchange.progress else 0
            times = f" {signs.TIMES}{count}" if count > 1 and method.endswith("progress") else ""
            return [(text.visible(method, limit=200), "notification"), (times, "faint")]
        if kind in (MessageKind.INVALID, MessageKind.BATCH):
            return []
        role: Role = "method" if kind is MessageKind.REQUEST else "answer"
        if exchange is None:
            return [(text.visible(self._store.method(n), limit=200) or "response without request", role)]
        named: list[Span] = [(text.visible(exchange.method, limit=200), role)]
        if exchange.target:
            named.append((" " + text.visible(exchange.target, limit=200), "target"))
        return named

    def _status(self, cells: dict[str, list[Span]], n: int, exchange: Exchange, place: RowPlace, now_ns: int) -> None:
        is_request = exchange.request_frame == n
        if is_request and not place.tree and exchange.answer_frame is not None:
            cells["status"] = [(f"Response #{exchange.answer_frame}", "muted")]
            return
        if not is_request and exchange.answer_frame != n:
            cells["status"] = [(f"{signs.WARNING} Duplicate", "warning")]
            return
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        became = task is not None and task.exchange == exchange.number and exchange.state is ExchangeState.ANSWERED
        if task is not None and became and place.tree:
            cells["status"] = [state_of(task)]
        else:
            cells["status"] = [words.status_in(self._journal, exchange)]
        if not is_request:
            cells["took"] = [(text.human_duration(max(0, self._store.time_ns(n) - exchange.started_ns)), "text")]
        elif exchange.duration_ns is not None:
            cells["took"] = [(text.human_duration(max(0, exchange.duration_ns)), "text")]
        elif self._journal.live and not words.is_stream(exchange):
            cells["took"] = [(text.human_duration(max(0, now_ns - exchange.started_ns)), "pending")]
        if is_request:
            self._answer_of(cells, exchange)

    def _answer_of(self, cells: dict[str, list[Span]], exchange: Exchange) -> None:
        """Add the size of the response, and an HTTP status other than 2xx, unless it is the state of the request."""
        other = "came" if exchange.sender.is_towards_server else "sent"
        if exchange.answer_frame is not None and exchange.answer_frame <= self._store.count:
            size = _size(self._store.size(exchange.answer_frame))
            cells["size"], cells[other] = [size], [size]
        else:
            cells["size"] = []
        http_status = words.http_status(self._journal, exchange)
        is_shown = any(f"HTTP {http_status}" in message for message, _ in cells["status"])
        if http_status and not 200 <= http_status < 300 and not is_shown:
            cells["what"].append((f" HTTP {http_status}", "warning"))

    def _preview(self, n: int, frame: Frame, exchange: Exchange | None, place: RowPlace) -> Span:
        """Return the preview of the row; the reason for an exchange that failed."""
        if exchange is not None and exchange.request_frame == n and (place.tree or exchange.answer_frame is None):
            if exchange.state in (ExchangeState.LOST, ExchangeState.CANCELLED) and exchange.why:
                return text.visible(exchange.why, limit=300), "warning"
            failed = exchange.state is ExchangeState.ERROR or exchange.tool_error
            if failed and exchange.answer_frame is not None and exchange.answer_frame <= self._store.count:
                answer = beginning(self._store, exchange.answer_frame).what
                if isinstance(answer, Frame):
                    return words.of_payload(answer.payload)[0], "muted" if exchange.probe else "error"
        return words.of_payload(frame.payload, exchange.progress if exchange is not None and place.tree else None)

    def _fact(self, cells: dict[str, list[Span]], n: int, run: RowRun | None) -> None:
        entry = self._store.entry(run.last if run is not None and not run.opened else n)
        if isinstance(entry.what, Frame):
            return
        message, role = words.sentence(self._without_repeated_end(entry.what))
        if entry.missing:
            message, role = _LOST_BYTES, "error"
        is_stderr = self._store.kind(n) is EntryKind.STDERR
        cells["way"] = [(signs.STDERR if is_stderr else signs.EVENT, role)]
        cells["what"] = [(message or "(empty line)", role)]
        cells["channel"] = [("stderr", "faint")] if is_stderr else []
        if is_stderr:
            cells["came"] = cells["size"]
        else:
            cells["size"] = []
        if run is not None:
            what: list[Span] = [("stderr ", role)]
            self._add_run_facts(cells, what, run)
            what.append((f" after {followed}" if (followed := self._followed(run.first)) else "", "muted"))
            cells["what"] = [*what, ("  ", "text"), *cells["what"]]
            cells.pop("took", None)  # its space goes to the text

    def _without_repeated_end(self, fact: Fact) -> Fact:
        """Return the end of a connection without its reason if that only repeats how the process ended."""
        if not isinstance(fact, ConnectionFact) or not fact.why:
            return fact
        facts = (each.what for each in reversed(self._journal.processes))
        gone = next((each for each in facts if isinstance(each, ProcessFact) and each.event is ProcessEvent.EXIT), None)
        before, found, after = fact.why.partition(words.ending(gone)) if gone is not None else ("", "", "")
        repeats = found and before == "the server " and (not after or _DURATION.fullmatch(after))
        return msgspec.structs.replace(fact, why="") if repeats else fact

    def _followed(self, n: int) -> str:
        """Return the last message or process start before entry n; "" if that is too far back."""
        first = max(1, n - _MOST_BEFORE)
        columns = self._store.columns(first, n - 1)
        for at in range(n - 1 - first, -1, -1):
            before, kind = first + at, columns.flags[at] & KIND_BITS
            if columns.kinds[at] == EntryKind.PROCESS:
                return "server start"
            if columns.kinds[at] != EntryKind.FRAME or kind in (MessageKind.NOTIFICATION, MessageKind.INVALID):
                continue
            exchanges, number = self._journal.conversation.exchanges, columns.exchanges[at]
            method = exchanges[number - 1].method if 0 < number <= len(exchanges) else self._store.method(before)
            answer = "response to " if kind in (MessageKind.RESPONSE, MessageKind.ERROR) else ""
            return f"{answer}{text.visible(method, limit=60)} #{before}"
        return ""


def _size(size: int) -> Span:
    return text.human_size(size), "muted"
