"""Statistics as output: rows and lines for the terminal, and data, CSV and Markdown for other programs."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.present import spans as signs
from inspector.present.spans import Line, Role, Span, lay
from inspector.present.stats import (
    CANCELLED,
    ERROR,
    GROUPINGS,
    LATE,
    LOST,
    OK,
    PENDING,
    ROUND,
    TOOL_FAILED,
    TOPS,
    Durations,
    Grouping,
    Repeated,
    StatsGroup,
    StatsTable,
    Top,
)
from inspector.present.stats_counting import JournalStats

_BARS = "▁▂▃▄▅▆▇█"
_TREND = 8
"""Width of a sparkline in a row."""
_WIDE = 100
"""Width from which all columns are shown."""
_LEAST_KEY = 12

_GRADES: tuple[Span, ...] = (
    ("", "text"),
    (f"{signs.NOTE} ", "muted"),
    (f"{signs.WARNING} ", "warning"),
    (f"{signs.ERROR} ", "error"),
)

_OUTCOME_WORDS = {
    OK: "OK",
    TOOL_FAILED: "Tool error",
    ERROR: "Error",
    CANCELLED: "Cancelled",
    LOST: "Lost",
    LATE: "Late",
    PENDING: "Pending",
}

_KIND_WORDS = {
    MessageKind.REQUEST: "request",
    MessageKind.RESPONSE: "result",
    MessageKind.ERROR: "error",
    MessageKind.NOTIFICATION: "notification",
    MessageKind.INVALID: "invalid message",
    MessageKind.BATCH: "batched frame",
}

_ACTING = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that a spreadsheet takes for a formula."""


class StatsColumn(msgspec.Struct, frozen=True):
    """A column of the statistics."""

    title: str
    width: int
    value: Callable[[StatsTable, StatsGroup], str]
    sort: Callable[[StatsGroup], float]
    """Sort key of the rows, largest first."""
    narrow: bool = False
    """Whether it is shown on narrow screens too."""
    role: Callable[[StatsGroup], Role] = lambda group: "text"


class TotalLine(msgspec.Struct, frozen=True):
    """One total, or one row of a top list."""

    name: str
    value: str
    role: Role = "text"
    n: int = 0
    """Entry that it refers to; 0 for none."""


def sparkline(values: Sequence[float], most: float = 0) -> str:
    """Return one bar per value; the highest bar stands for `most` or for the largest value. "" without values."""
    most = max(most, max(values, default=0))
    if most <= 0:
        return _BARS[0] * len(values)
    return "".join(_BARS[min(len(_BARS) - 1, int(max(0.0, value) / most * len(_BARS)))] for value in values)


def peaks(values: Sequence[float], columns: int) -> list[float]:
    """Reduce values to at most so many columns, each the maximum of its part."""
    columns = min(columns, len(values))
    return [max(values[at * len(values) // columns : (at + 1) * len(values) // columns]) for at in range(columns)]


def course(values: Sequence[float], columns: int) -> str:
    """Return a chart that starts at the lowest value; its full scale is at least a tenth of that."""
    least = min(values)
    return sparkline([each - least for each in peaks(values, columns)], least / 10)


def duration_text(ns: float) -> str:
    """Format a duration; "" for 0."""
    return text.human_duration(round(ns)) if ns > 0 else ""


def _percentile(group: StatsGroup, which: int) -> float:
    found = group.durations.percentiles
    return found[which] if found else 0.0


COLUMNS = (
    StatsColumn("Calls", 9, lambda table, group: f"{group.calls:,}", lambda group: group.calls, narrow=True),
    StatsColumn("OK", 9, lambda table, group: f"{group.outcomes[OK]:,}", lambda group: group.outcomes[OK]),
    StatsColumn(
        "Failed",
        8,
        lambda table, group: f"{group.failed:,}",
        lambda group: group.failed,
        narrow=True,
        role=lambda group: "error" if group.failed else "faint",
    ),
    StatsColumn(
        "p50", 9, lambda table, group: duration_text(_percentile(group, 0)), lambda group: _percentile(group, 0)
    ),
    StatsColumn(
        "p95",
        9,
        lambda table, group: duration_text(_percentile(group, 1)),
        lambda group: _percentile(group, 1),
        narrow=True,
    ),
    StatsColumn(
        "Max", 9, lambda table, group: duration_text(group.durations.max_ns), lambda group: group.durations.max_ns
    ),
    StatsColumn("Size", 9, lambda table, group: text.human_size(group.bytes_in), lambda group: group.bytes_in),
    StatsColumn(
        "≈Tokens", 10, lambda table, group: f"{text.estimate_tokens(group.bytes_in):,}", lambda group: group.bytes_in
    ),
    StatsColumn(
        "Calls/min",
        11,
        lambda table, group: sparkline(table.trend(group, _TREND)),
        lambda group: group.calls,
        narrow=True,
        role=lambda group: "accent",
    ),
)
"""From left to right, after the key column."""


def shown_columns(width: int) -> tuple[StatsColumn, ...]:
    """Return the columns that fit."""
    return COLUMNS if width >= _WIDE else tuple(column for column in COLUMNS if column.narrow)


def header(by: Grouping, width: int, sorted_by: str = "Calls") -> list[Span]:
    """Return the titles in exactly `width` cells; the title of the sort column is marked."""
    columns = shown_columns(width)
    key = max(_LEAST_KEY, width - sum(column.width for column in columns))
    spans: list[Span] = [(text.pad(text.fit(text.visible(by.title), key - 1), key), "muted")]
    for column in columns:
        mark = column.title == sorted_by
        spans.append((text.pad(column.title, column.width, right=True), "accent" if mark else "muted"))
    return lay(spans, width)


def row(table: StatsTable, group: StatsGroup, width: int, grade: int = 0) -> list[Span]:
    """Return a group in exactly `width` cells; `grade`: its worst finding, 1 hint, 2 warning, 3 error, 0 none."""
    columns = shown_columns(width)
    key = max(_LEAST_KEY, width - sum(column.width for column in columns))
    name = key_text(group.key)
    sign: Span = _GRADES[grade] if grade else ("", "text")
    room = key - len(sign[0])
    spans: list[Span] = [sign, (text.pad(text.fit(name, room - 1), room), "target" if group.key else "faint")]
    spans += [
        (text.pad(column.value(table, group), column.width, right=True), column.role(group)) for column in columns
    ]
    return lay(spans, width)


def column_at(x: int, width: int) -> str:
    """Return the title of the column at a cell of the title line; "" for the key column."""
    columns = shown_columns(width)
    at = max(_LEAST_KEY, width - sum(column.width for column in columns))
    for column in columns:
        if at <= x < at + column.width:
            return column.title
        at += column.width
    return ""


def key_text(key: str) -> str:
    """Return a key as shown, safe to show."""
    return text.visible(key, limit=200) or "(no name)"


class ToolUse:
    """Use of the tools of a conversation so far, in a few words each. Counted in slices."""

    def __init__(self, journal: Journal) -> None:
        self._table = StatsTable()
        self._stats = JournalStats(journal, self._table)

    def take(self, limit: int) -> int:
        """Count about `limit` more requests; return a number that grows when a tool is called or a call ends."""
        self._stats.take(limit)
        return self._table.changes

    def text(self, tool: str) -> str:
        """Return the use of a tool, `12 calls, p95 340 ms, 2 errors`; "" if it was not called."""
        group = self._table.groups.get(tool)
        if group is None or not group.calls:
            return ""
        parts = [text.counted(group.calls, "call")]
        if group.durations.count:
            parts.append(f"p95 {duration_text(_percentile(group, 1))}")
        if group.failed:
            parts.append(text.counted(group.failed, "error"))
        return ", ".join(parts)


def sorted_groups(table: StatsTable, by: str) -> list[StatsGroup]:
    """Return the groups sorted by a column, largest first."""
    column = next((each for each in COLUMNS if each.title == by), COLUMNS[0])
    return sorted(table.rows, key=lambda group: (-column.sort(group), -group.calls, group.key))


def histogram_lines(durations: Durations, width: int) -> list[Line]:
    """Return the histogram of the durations of a group."""
    rows = durations.histogram()
    if not rows:
        return [(("No durations yet.", "muted"),)]
    most = max(count for _, _, count in rows)
    labels = [f"{text.human_duration(low)} – {text.human_duration(high)}" for low, high, _ in rows]
    label = max(map(len, labels))
    room = max(4, width - label - 12)
    return [
        (
            (f"{text.pad(name, label, right=True)}  ", "muted"),
            ("█" * round(room * count / most) or ("▏" if count else ""), "accent"),
            (f" {count:,}" if count else "", "text"),
        )
        for name, (_, _, count) in zip(labels, rows, strict=True)
    ]


def summary_text(table: StatsTable, total: StatsGroup) -> str:
    """Return the number of calls and the duration of the session: `1,043 calls · 14m 02s`."""
    word = "call" if table.by.calls_only else "request"
    return f"{text.counted(total.calls, word)} · {text.human_duration(table.duration_ns)}"


def totals(table: StatsTable, total: StatsGroup, repeated: Sequence[Repeated] = ()) -> list[TotalLine]:
    """Return totals and top lists, without empty ones."""
    outcomes = [
        f"{total.outcomes[outcome]:,} {name}" for outcome, name in _OUTCOME_WORDS.items() if total.outcomes[outcome]
    ]
    found = [TotalLine("Status", " · ".join(outcomes) or "No requests")]
    if split := _split(table):
        found.append(TotalLine("Time", split))
    if table.listed:
        found.append(TotalLine("Never called", _never_called(table)))
    for same in repeated[:3]:
        arguments = text.visible(same.arguments.decode("utf-8", "replace"), limit=80)
        message = f"{text.visible(same.tool, limit=60)} {arguments} ×{same.count:,}"
        found.append(TotalLine("Repeated", message, "warning", _entry(same)))
    found += [
        TotalLine("Most failing", f"{key_text(group.key)} {group.failed:,} of {group.calls:,}", "error")
        for group in _failing(table)[:3]
    ]
    slow, large = (sorted(heap, reverse=True)[:3] for heap in (table.slowest, table.largest))
    found += [TotalLine("Slowest", _top(each, text.human_duration(each.value)), n=_entry(each)) for each in slow]
    found += [TotalLine("Largest", _top(each, text.human_size(each.value)), n=_entry(each)) for each in large]
    crossed = f"{text.human_size(total.bytes_out)} out · {text.human_size(total.bytes_in)} in"
    found += [TotalLine("Size", crossed), TotalLine("Messages", _messages(table))]
    for name, group in (("Handshake", table.opening), ("Lists", table.lists)):
        if group.calls:
            cost = f"{text.human_size(group.bytes_in)} · ≈{text.estimate_tokens(group.bytes_in):,} tokens"
            took = duration_text(group.durations.total_ns)
            found.append(TotalLine(name, f"{cost} · {took}" if took else cost))
    if table.in_flight > 1:
        found.append(TotalLine("In flight", f"max {table.in_flight:,}"))
    if table.reconnects > 0:
        found.append(TotalLine("Reconnects", f"{table.reconnects:,}", "warning"))
    return found


def _entry(found: Top | Repeated) -> int:
    """Return the entry of a call in the first journal; 0 for another journal, where no screen can show it."""
    return 0 if found.source else found.n


def _top(top: Top, message: str) -> str:
    return f"{key_text(top.tool)} {message} #{top.n}"


def _never_called(table: StatsTable) -> str:
    never = table.never_called
    message = f"{len(never):,} of {len(table.listed):,} tools"
    names = ", ".join(text.visible(each, limit=60) for each in never[:5])
    more = f" and {len(never) - 5:,} more" if len(never) > 5 else ""
    return f"{message}: {names}{more}" if never else message


def total_lines(lines: Sequence[TotalLine]) -> list[Line]:
    """Return totals as aligned lines; a repeated name is shown once."""
    width = max((len(each.name) for each in lines), default=0)
    before = ""
    found: list[Line] = []
    for each in lines:
        name = "" if each.name == before else each.name
        found.append(((f"{text.pad(name, width)}  ", "muted"), (each.value, each.role)))
        before = each.name
    return found


def _messages(table: StatsTable) -> str:
    kinds = [text.counted(table.messages[kind], name) for kind, name in _KIND_WORDS.items() if table.messages[kind]]
    if table.stderr_lines:
        kinds.append(text.counted(table.stderr_lines, "stderr line"))
    return " · ".join(kinds) or "None"


def _split(table: StatsTable) -> str:
    parts = dict(zip(("server", "person", "held"), table.time_split, strict=True))
    whole = sum(parts.values())
    if not whole or whole == parts["server"]:
        return ""
    return " · ".join(f"{name} {round(100 * ns / whole)} %" for name, ns in parts.items() if ns)


def _failing(table: StatsTable) -> list[StatsGroup]:
    return sorted((group for group in table.rows if group.failed), key=lambda group: (-group.failed, group.key))


def report_lines(table: StatsTable, repeated: Sequence[Repeated], width: int) -> list[Line]:
    """Return the table and the totals, for a terminal."""
    total = table.total
    lines: list[Line] = [(("Statistics  ", "title"), (summary_text(table, total), "muted")), ()]
    rows = table.rows
    if rows:
        key = max([_LEAST_KEY, *(text.cell_width(key_text(group.key)) + 2 for group in rows)])
        used = max(
            _WIDE if width >= _WIDE else 0, min(width, key + sum(column.width for column in shown_columns(width)))
        )
        lines.append(tuple(header(table.by, used)))
        lines += [tuple(row(table, group, used)) for group in rows]
        lines.append(())
    return [*lines, *total_lines(totals(table, total, repeated))]


# Formats for other programs.


def _ms(ns: float) -> float:
    return round(ns / 1e6, 3)


def group_data(table: StatsTable, group: StatsGroup, all_calls: int) -> dict[str, Any]:
    """Return the figures of a group. Durations are in milliseconds, None if no request has a response."""
    durations, outcomes = group.durations, group.outcomes
    percentiles: Sequence[float | None] = [_ms(each) for each in durations.percentiles] or (None, None, None)
    minutes = table.duration_ns / 60e9
    return {
        "calls": group.calls,
        "share": round(group.calls / all_calls, 6) if all_calls else 0.0,
        "ok": outcomes[OK],
        "tool_errors": outcomes[TOOL_FAILED],
        "errors": outcomes[ERROR],
        "cancelled": outcomes[CANCELLED],
        "lost": outcomes[LOST],
        "late": outcomes[LATE],
        "pending": outcomes[PENDING],
        "rounds": outcomes[ROUND],
        "in_flight_max": group.in_flight,
        "calls_per_min": round(group.calls / minutes, 3) if minutes else None,
        "p50_ms": percentiles[0],
        "p95_ms": percentiles[1],
        "p99_ms": percentiles[2],
        "max_ms": _ms(durations.max_ns) if durations.count else None,
        "mean_ms": _ms(durations.total_ns / durations.count) if durations.count else None,
        "bytes_in": group.bytes_in,
        "bytes_out": group.bytes_out,
        "tokens_in_estimated": text.estimate_tokens(group.bytes_in),
        "tokens_out_estimated": text.estimate_tokens(group.bytes_out),
    }


def stats_data(table: StatsTable, repeated: Sequence[Repeated], sources: Sequence[str]) -> dict[str, Any]:
    """Return all statistics for JSON; docs/stats.md describes the members. `sources`: the names of the inputs."""
    total, rows = table.total, table.rows
    server, person, held = table.time_split

    def top(each: Top, value: str, shown: float) -> dict[str, Any]:
        return {"tool": each.tool, value: shown, "n": each.n, "source": sources[each.source]}

    return {
        "by": table.by.text or table.by.name,
        "sources": list(sources),
        "groups": [{"key": group.key} | group_data(table, group, total.calls) for group in rows],
        "totals": group_data(table, total, total.calls)
        | {
            "duration_ms": _ms(table.duration_ns),
            "messages": {
                kind.name.lower(): table.messages[kind] for kind in MessageKind if kind is not MessageKind.NONE
            },
            "stderr_lines": table.stderr_lines,
            "reconnects": table.reconnects,
            "in_flight_max": table.in_flight,
            "time": {"server_ms": _ms(server), "person_ms": _ms(person), "held_ms": _ms(held)},
            "handshake": _cost(table.opening),
            "lists": _cost(table.lists),
        },
        "slowest": [top(each, "ms", _ms(each.value)) for each in sorted(table.slowest, reverse=True)],
        "largest": [top(each, "bytes", each.value) for each in sorted(table.largest, reverse=True)],
        "failing": [
            {"key": group.key, "failed": group.failed, "calls": group.calls} for group in _failing(table)[:TOPS]
        ],
        "repeated": [
            {
                "tool": each.tool,
                "arguments": msgspec.Raw(each.arguments),
                "count": each.count,
                "n": each.n,
                "source": sources[each.source],
            }
            for each in repeated
        ],
        "never_called": table.never_called,
    }


def _cost(group: StatsGroup) -> dict[str, Any]:
    return {
        "requests": group.calls,
        "ms": _ms(group.durations.total_ns),
        "bytes_in": group.bytes_in,
        "bytes_out": group.bytes_out,
        "tokens_in_estimated": text.estimate_tokens(group.bytes_in),
    }


def csv_text(table: StatsTable) -> str:
    """Return one line per group after a line of titles; the last line has the totals, with an empty key."""
    total = table.total
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(group_data(table, total, total.calls))
    writer.writerow(["key", *names])
    for group in [*table.rows, total]:
        figures = group_data(table, group, total.calls)
        key = group.key if not group.key.startswith(_ACTING) else f"'{group.key}"
        writer.writerow([key, *("" if figures[name] is None else figures[name] for name in names)])
    return out.getvalue()


def markdown_text(table: StatsTable, repeated: Sequence[Repeated]) -> str:
    """Return the table and the totals as Markdown."""
    total = table.total
    columns = COLUMNS[:-1]
    lines = [
        f"# Statistics: {summary_text(table, total)}",
        "",
        f"| {_cell(table.by.title)} | {' | '.join(column.title for column in columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    for group in table.rows:
        figures = " | ".join(column.value(table, group) for column in columns)
        lines.append(f"| {_cell(key_text(group.key))} | {figures} |")
    lines.append("")
    lines += [f"- {each.name}: {_cell(each.value)}" for each in totals(table, total, repeated)]
    return "\n".join(lines)


def _cell(foreign: str) -> str:
    """Return text in which nothing is Markdown or HTML."""
    for sign in "\\`*_[]<>|#~":
        foreign = foreign.replace(sign, f"\\{sign}")
    return foreign


def grouping_names() -> Iterable[str]:
    """Return the values of `--by`, for messages."""
    return (*(each.name for each in GROUPINGS), "args.NAME")
