"""One row of the traffic list, laid out for a width. Reads the payload of the entry it shows, and of no other.

What of it is shown, and where, is `columns`; how times are told is `log_look`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from inspector.capture.beginnings import beginning
from inspector.capture.journal import Journal
from inspector.capture.store import KIND_BITS, EntryKind, MessageKind
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.facts import HttpFact
from inspector.protocol.frames import Direction, Frame
from inspector.viewmodels import previews, signs, text, words
from inspector.viewmodels.columns import FIELD, LANE, lay_out
from inspector.viewmodels.grades import mark
from inspector.viewmodels.lanes import Window, moment, role_of
from inspector.viewmodels.lanes import bar as lane_bar
from inspector.viewmodels.log_errors import is_acknowledgment
from inspector.viewmodels.log_look import PLAIN, Look, TimeMode, since
from inspector.viewmodels.log_marks import finding_cells
from inspector.viewmodels.log_runs import Run
from inspector.viewmodels.progress import bar, fraction, said
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowView
from inspector.viewmodels.task_state import state_of

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.viewmodels.extra_cells import ExtraCells

_EXTRA = frozenset(("http", "id", "session"))
_BAR = 10
"""Cells of the bar that shows how far a request is."""
_MOST_BEFORE = 300
"""Entries before a run of stderr among which the message is looked for that it follows."""
_LOST_BYTES = "its bytes can't be read back"


class Place(msgspec.Struct, frozen=True):
    """Where a row stands in its list."""

    tree: bool
    nested: bool = False
    folded: int = 0
    """How many rows are folded away under it."""
    previous_ns: int | None = None
    """When the entry of the row above crossed the wire; None for the first."""
    run: Run | None = None
    """The run of notifications or lines of stderr that the row begins."""
    grows: bool = False
    """Whether more of that run may come."""
    window: Window | None = None
    """The time that the small waterfall shows."""
    grade: int = 0
    """How bad the worst is that checks have found: 3 an error, 2 a warning, 1 a hint, 0 nothing."""
    found: "Sequence[Finding]" = ()
    """What they found, where somebody wants to see it; worst first."""


class RowWriter:
    """Writes rows of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._extra: ExtraCells | None = None

    def row(
        self, n: int, exchange: Exchange | None, place: Place, width: int, now_ns: int, look: Look = PLAIN
    ) -> RowView:
        """The row of entry n."""
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
        names = {column.name for column in shown}
        if "lane" in names and place.window is not None:
            cells["lane"] = self._lane(n, exchange, place, place.window, now_ns)
        if any(name in _EXTRA or name.startswith(FIELD) for name in names):
            self._cells().add(cells, names, n, exchange, tree=place.tree, now_ns=now_ns)
        return RowView(lay_out(cells, width, shown), live=live or place.grows)

    def _noted(self, n: int, exchange: Exchange | None, place: Place) -> list[Span]:
        """The mark of an entry, or in the tree of the answer that its row stands for."""
        marks = self._journal.marks
        answer = exchange.answer_frame if place.tree and exchange is not None and exchange.request_frame == n else None
        found = marks.get(n) or (marks.get(answer) if answer else None)
        if found is None:
            return []
        from inspector.viewmodels.noted import mark_spans  # few captures have marks

        return mark_spans(found)

    def _cells(self) -> "ExtraCells":
        if self._extra is None:
            from inspector.viewmodels.extra_cells import ExtraCells

            self._extra = ExtraCells(self._journal)
        return self._extra

    def _lane(self, n: int, exchange: Exchange | None, place: Place, window: Window, now_ns: int) -> list[Span]:
        """What the row has to show in the small waterfall."""
        if place.run is not None and not place.run.opened:
            end = self._store.time_ns(place.run.last)
            return lane_bar(self._store.time_ns(n), end, window, LANE, "notification")
        if exchange is None or exchange.request_frame != n:
            return moment(self._store.time_ns(n), window, LANE)
        return lane_bar(exchange.started_ns, lane_end(exchange, now_ns), window, LANE, role_of(exchange))

    def _goes_on(self, exchange: Exchange) -> bool:
        """Whether its answer was not the last word: it asks, or is a task that runs."""
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        runs = task is not None and not task.ended and task.exchange == exchange.number
        return runs or (exchange.asks and not exchange.retried)

    def _is_open_row(self, n: int, exchange: Exchange) -> bool:
        return exchange.request_frame == n or self._store.message_kind(n) is MessageKind.NOTIFICATION

    def _common(self, n: int, place: Place, look: Look) -> dict[str, list[Span]]:
        when = look.time(n, self._store, place.previous_ns)
        cells: dict[str, list[Span]] = {
            "number": [(str(n), "faint")],
            "time": [when],
            "seconds": [(when[0][:8] if look.mode is TimeMode.CLOCK else when[0].strip().rjust(8), when[1])],
            "size": [_size(self._store.size(n))],
        }
        if place.previous_ns is not None:
            cells["since"] = [(since(self._store.time_ns(n) - place.previous_ns), "faint")]
        return cells

    def _frame(
        self, cells: dict[str, list[Span]], n: int, exchange: Exchange | None, place: Place, now_ns: int
    ) -> None:
        folded_run = place.run if place.run is not None and not place.run.opened else None
        entry = beginning(self._store, folded_run.last if folded_run is not None else n)
        frame, kind = entry.what, self._store.message_kind(n)
        if not isinstance(frame, Frame):
            return
        to_server = frame.direction is Direction.TO_SERVER
        cells["way"] = [(signs.TO_SERVER, "to_server") if to_server else (signs.FROM_SERVER, "from_server")]
        cells["sent" if to_server else "came"] = cells["size"]
        cells["channel"] = [(frame.channel.value, "faint")]
        what = [*_indent(place), *self._named(n, kind, exchange, place)]
        of_probe = exchange is not None and exchange.probe and kind is not MessageKind.NOTIFICATION
        if (frame.probe or of_probe) and kind is not MessageKind.GARBLED:
            what.append((" probe", "faint"))
        if entry.missing:
            what.append((f" {_LOST_BYTES}", "error"))
        cells["what"] = what
        if exchange is not None and kind is not MessageKind.NOTIFICATION:
            self._status(cells, n, exchange, place, now_ns)
        elif kind is MessageKind.GARBLED:
            acknowledged = is_acknowledgment(self._journal, n)
            cells["status"] = [("acknowledged", "muted") if acknowledged else (f"{signs.ERROR} not JSON-RPC", "error")]
        elif kind in (MessageKind.ANSWER, MessageKind.ERROR):
            cells["status"] = [(f"{signs.WARNING} no request", "warning")]
        if place.run is not None:
            self._tell_of_run(cells, what, place.run)
        if place.folded:
            what.append((f" {signs.CLOSED} {place.folded} more", "accent"))
        newest = self._progress_of_row(n, exchange, place)
        if newest is not None:
            what += [("  ", "text"), *bar(newest, _BAR), (" " if fraction(newest) is not None else "", "text")]
            what += said(newest, running=self._journal.live and exchange is not None and exchange.is_open)
            return
        preview = self._preview(n, frame, exchange, place)
        if preview[0]:
            what += [("  " if kind is not MessageKind.GARBLED else "", "text"), preview]

    def _tell_of_run(self, cells: dict[str, list[Span]], what: list[Span], run: Run) -> None:
        """Say how many the row stands for, and how long they took to come."""
        sign = signs.OPENED if run.opened else signs.CLOSED
        what.append((f" {sign} {signs.TIMES}{run.count:,}", "accent"))
        if not run.opened:
            cells["took"] = [
                (text.human_duration(self._store.time_ns(run.last) - self._store.time_ns(run.first)), "faint")
            ]
            cells["size"] = cells["sent"] = cells["came"] = []

    def _progress_of_row(self, n: int, exchange: Exchange | None, place: Place) -> Progress | None:
        """What a row tells of that stands for all progress of a request; None for any other row."""
        if not place.tree or exchange is None or self._store.method(n) != "notifications/progress":
            return None
        return exchange.progress

    def _named(self, n: int, kind: MessageKind, exchange: Exchange | None, place: Place) -> list[Span]:
        """The method and the target."""
        if kind is MessageKind.NOTIFICATION:
            method = self._store.method(n)
            if place.nested:
                method = method.removeprefix("notifications/")
            count = exchange.progress.count if place.tree and exchange is not None and exchange.progress else 0
            times = f" {signs.TIMES}{count}" if count > 1 and method.endswith("progress") else ""
            return [(text.visible(method, limit=200), "notification"), (times, "faint")]
        if kind in (MessageKind.GARBLED, MessageKind.BATCH):
            return []
        role: Role = "method" if kind is MessageKind.REQUEST else "answer"
        if exchange is None:
            return [(text.visible(self._store.method(n), limit=200) or "answer to nothing", role)]
        named: list[Span] = [(text.visible(exchange.method, limit=200), role)]
        if exchange.target:
            named.append((" " + text.visible(exchange.target, limit=200), "target"))
        return named

    def _status(self, cells: dict[str, list[Span]], n: int, exchange: Exchange, place: Place, now_ns: int) -> None:
        is_request = exchange.request_frame == n
        if is_request and not place.tree and exchange.answer_frame is not None:
            cells["status"] = [(f"answer #{exchange.answer_frame}", "muted")]
            return
        if not is_request and exchange.answer_frame != n:
            cells["status"] = [(f"{signs.WARNING} answer again", "warning")]
            return
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        became = task is not None and task.exchange == exchange.number and exchange.state is ExchangeState.ANSWERED
        if task is not None and became and place.tree:
            cells["status"] = [state_of(task)]
        else:
            cells["status"] = [words.status(exchange, live=self._journal.live)]
        if not is_request:
            cells["took"] = [(text.human_duration(max(0, self._store.time_ns(n) - exchange.started_ns)), "text")]
        elif exchange.duration_ns is not None:
            cells["took"] = [(text.human_duration(max(0, exchange.duration_ns)), "text")]
        elif self._journal.live and not words.is_stream(exchange):
            cells["took"] = [(text.human_duration(max(0, now_ns - exchange.started_ns)), "pending")]
        if is_request:
            self._answer_of(cells, exchange)

    def _answer_of(self, cells: dict[str, list[Span]], exchange: Exchange) -> None:
        """What a row that stands for an exchange says of its answer: its size, and the HTTP status if it tells."""
        other = "came" if exchange.sender is Direction.TO_SERVER else "sent"
        if exchange.answer_frame is not None and exchange.answer_frame <= self._store.count:
            size = _size(self._store.size(exchange.answer_frame))
            cells["size"], cells[other] = [size], [size]
        else:
            cells["size"] = []
        response = self._response(exchange)
        if response is not None and not 200 <= response.status < 300:
            cells["what"].append((f" HTTP {response.status}", "warning"))

    def _response(self, exchange: Exchange) -> HttpFact | None:
        found = self._journal.http_exchanges.get(exchange.http) if exchange.http is not None else None
        return found.response if found is not None else None

    def _preview(self, n: int, frame: Frame, exchange: Exchange | None, place: Place) -> Span:
        """The preview of the row; where the row stands for an exchange that failed, the reason."""
        if exchange is not None and exchange.request_frame == n and (place.tree or exchange.answer_frame is None):
            if exchange.state in (ExchangeState.LOST, ExchangeState.CANCELLED) and exchange.why:
                return text.visible(exchange.why, limit=300), "warning"
            failed = exchange.state is ExchangeState.ERROR or exchange.tool_error
            if failed and exchange.answer_frame is not None and exchange.answer_frame <= self._store.count:
                answer = beginning(self._store, exchange.answer_frame).what
                if isinstance(answer, Frame):
                    return previews.of_payload(answer.payload)[0], "error"
        return previews.of_payload(frame.payload, exchange.progress if exchange is not None and place.tree else None)

    def _fact(self, cells: dict[str, list[Span]], n: int, run: Run | None) -> None:
        entry = self._store.entry(run.last if run is not None and not run.opened else n)
        if isinstance(entry.what, Frame):
            return
        said, role = words.sentence(entry.what)
        if entry.missing:
            said, role = _LOST_BYTES, "error"
        is_stderr = self._store.kind(n) is EntryKind.STDERR
        cells["way"] = [(signs.STDERR if is_stderr else signs.EVENT, role)]
        cells["what"] = [(said or "(an empty line)", role)]
        cells["channel"] = [("stderr", "faint")] if is_stderr else []
        if is_stderr:
            cells["came"] = cells["size"]
        else:
            cells["size"] = []
        if run is not None:
            what: list[Span] = [("stderr", role)]
            self._tell_of_run(cells, what, run)
            what.append((f" after {followed}" if (followed := self._followed(run.first)) else "", "muted"))
            cells["what"] = [*what, ("  ", "text"), *cells["what"]]
            cells.pop("took", None)  # its room is for the text

    def _followed(self, n: int) -> str:
        """What the server got or answered last before entry n, or that it was started; "" if that is long ago."""
        first = max(1, n - _MOST_BEFORE)
        columns = self._store.columns(first, n - 1)
        for at in range(n - 1 - first, -1, -1):
            before, kind = first + at, columns.flags[at] & KIND_BITS
            if columns.kinds[at] == EntryKind.PROCESS:
                return "the start of the server"
            if columns.kinds[at] != EntryKind.FRAME or kind in (MessageKind.NOTIFICATION, MessageKind.GARBLED):
                continue
            exchanges, number = self._journal.conversation.exchanges, columns.exchanges[at]
            method = exchanges[number - 1].method if 0 < number <= len(exchanges) else self._store.method(before)
            answer = "the answer to " if kind in (MessageKind.ANSWER, MessageKind.ERROR) else ""
            return f"{answer}{text.visible(method, limit=60)} #{before}"
        return ""


def _indent(place: Place) -> list[Span]:
    return [(f"{signs.BRANCH} ", "faint")] if place.nested else []


def _size(size: int) -> Span:
    return text.human_size(size), "muted"


def lane_end(exchange: Exchange, now_ns: int) -> int:
    """Where its bar ends: where it ended, or now."""
    return exchange.ended_ns if exchange.ended_ns is not None else max(now_ns, exchange.started_ns)
