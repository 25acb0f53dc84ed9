"""Statistics: counting live and recorded journals, and the report."""

import csv
import io
import random
from collections.abc import Callable
from itertools import count, pairwise

import pytest

from inspector.filters.language.completion import describe
from inspector.filters.language.parser import parse
from inspector.present.stats import (
    CANCELLED,
    ERROR,
    LATE,
    LOST,
    OK,
    PENDING,
    ROUND,
    TOOL_FAILED,
    Durations,
    Grouping,
    StatsTable,
    bucket_of,
    filter_of,
    middle_of,
    read_grouping,
)
from inspector.present.stats_counting import FilteredEntries, JournalStats, Repeats
from inspector.present.stats_report import (
    COLUMNS,
    course,
    csv_text,
    header,
    markdown_text,
    row,
    sorted_groups,
    stats_data,
)
from inspector.text import cell_width
from tests.present.tape import Tape

_WITHIN = 0.01


def counted(tape: Tape, by: str = "tool") -> StatsTable:
    table = StatsTable(read_grouping(by))
    JournalStats(tape.journal, table).take()
    return table


def exact(sorted_values: list[int], share: float) -> float:
    """Return a percentile as numpy's default defines it: linear interpolation between the closest ranks."""
    rank = share * (len(sorted_values) - 1)
    low = sorted_values[int(rank)]
    high = sorted_values[min(int(rank) + 1, len(sorted_values) - 1)]
    return low + (high - low) * (rank - int(rank))


@pytest.mark.parametrize("size", [1, 2, 3, 10, 101, 20_000])
@pytest.mark.parametrize(
    "draw",
    [
        lambda dice: dice.lognormvariate(15, 2),
        lambda dice: dice.expovariate(1e-6),
        lambda dice: dice.uniform(1, 1e9),
        lambda dice: 5e6,
        lambda dice: dice.choice((3e3, 2e9)),
        lambda dice: dice.paretovariate(0.5) * 1000,
    ],
    ids=["lognormal", "exponential", "uniform", "constant", "two", "heavy tail"],
)
def test_percentiles_are_within_one_percent(size: int, draw: Callable[[random.Random], float]) -> None:
    dice = random.Random(size)
    values = [min(int(draw(dice)), 2**62) for _ in range(size)]
    durations = Durations()
    for value in values:
        durations.add(value)
    values.sort()
    for share, found in zip((0.5, 0.95, 0.99), durations.percentiles, strict=True):
        assert found == pytest.approx(exact(values, share), rel=_WITHIN)
    assert durations.max_ns == values[-1]


def test_buckets_ascend_and_are_narrow() -> None:
    values = sorted({*range(2000), *(2**bits + more for bits in range(8, 63) for more in (-1, 0, 1, 2 ** (bits - 1)))})
    buckets = list(map(bucket_of, values))
    assert buckets == sorted(buckets)
    for value, bucket in zip(values, buckets, strict=True):
        assert middle_of(bucket) == pytest.approx(value, rel=0.004)


def test_removed_duration_leaves_no_trace() -> None:
    durations, other = Durations(), Durations()
    for value in (5_000_000, 70_000_000, 1_000):
        durations.add(value)
    durations.add(900_000_000)
    assert durations.percentiles[2] > 100_000_000
    durations.add(900_000_000, -1)
    for value in (5_000_000, 70_000_000, 1_000):
        other.add(value)
    assert list(durations.buckets()) == list(other.buckets())
    assert durations.percentiles == pytest.approx(other.percentiles, rel=_WITHIN)
    assert durations.max_ns == pytest.approx(70_000_000, rel=_WITHIN)


def test_a_histogram_counts_everything_in_octaves() -> None:
    durations = Durations()
    for value in (1, 1_100_000, 1_900_000, 2_100_000, 7_900_000, 5_000_000_000):
        durations.add(value)
    rows = durations.histogram()
    assert sum(number for _, _, number in rows) == 6
    assert (1_000_000, 2_000_000, 2) in durations.histogram(most=40)
    assert all(high <= after for (_, high, _), (after, _, _) in pairwise(rows))
    assert Durations().histogram() == []


# Outcomes, while they happen


def test_each_outcome_has_its_own_count() -> None:
    tape = Tape().started().initialized("2025-06-18")
    for id_ in range(1, 7):
        tape.call(id_, "dig")
    tape.wait(10)
    tape.answer(1, {"content": []})
    tape.answer(2, {"content": [], "isError": True})
    tape.error(3, -32602, "no")
    tape.notify("notifications/cancelled", {"requestId": 4}, by_client=True)
    tape.notify("notifications/cancelled", {"requestId": 5}, by_client=True)
    tape.answer(5, {"content": []})
    table = StatsTable()
    stats = JournalStats(tape.journal, table)
    stats.take()
    (group,) = table.rows
    counts = {OK: 1, TOOL_FAILED: 1, ERROR: 1, CANCELLED: 1, LATE: 1, PENDING: 1}
    assert {at: number for at, number in enumerate(group.outcomes) if number} == counts
    assert (group.calls, group.failed, group.durations.count) == (6, 2, 3)
    tape.died()
    stats.take()
    assert (group.outcomes[PENDING], group.outcomes[LOST]) == (0, 1)
    assert group.calls == 6


def test_probes_do_not_count() -> None:
    tape = Tape().started()
    tape.request(1, "server/discover", probe=True)
    tape.error(1, -32601, "no", probe=True)
    assert counted(tape, "method").rows == []


def test_live_statistics_equal_final_ones() -> None:
    dice, tape = random.Random(7), Tape().started().initialized("2025-06-18")
    table, ids, waiting = StatsTable(), count(1), []
    stats = JournalStats(tape.journal, table)
    for _ in range(600):
        tape.wait(dice.uniform(0, 400))
        match dice.randrange(4):
            case 0 | 1:
                waiting.append(next(ids))
                tape.call(waiting[-1], dice.choice(("dig", "row", "sing")), {"x": dice.randrange(3)})
            case 2 if waiting:
                tape.answer(waiting.pop(dice.randrange(len(waiting))), {"content": [], "isError": dice.random() < 0.2})
            case 3 if waiting:
                id_ = waiting.pop()
                tape.notify("notifications/cancelled", {"requestId": id_}, by_client=True)
                if dice.random() < 0.5:
                    stats.take()
                    tape.answer(id_, {"content": []})
        if dice.random() < 0.5:
            stats.take(limit=dice.randrange(1, 5))
    while stats.take(limit=3):
        pass
    fresh = counted(tape)
    live, whole = stats_data(table, (), ["x"]), stats_data(fresh, (), ["x"])
    assert live["groups"] == whole["groups"]
    assert live["totals"] == whole["totals"]
    assert live["slowest"] == whole["slowest"]


def test_a_round_that_asks_for_input_is_no_call_of_its_own() -> None:
    tape = Tape(http=True).connected("https://example.test/mcp")
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"name": "ask", "arguments": {}, "_meta": meta}
    tape.request(1, "tools/call", params)
    table = StatsTable()
    stats = JournalStats(tape.journal, table)
    stats.take()
    asks = {"q": {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {"type": "object"}}}}
    tape.wait(10).answer(1, {"resultType": "input_required", "inputRequests": asks, "requestState": "s"})
    stats.take()
    (group,) = table.rows
    assert (group.calls, group.outcomes[PENDING]) == (1, 1)
    again = params | {"inputResponses": {"q": {"action": "decline"}}, "requestState": "s"}
    tape.wait(5000).request(2, "tools/call", again)
    tape.wait(20).answer(2, {"resultType": "complete", "content": []})
    stats.take()
    assert (group.calls, group.outcomes[OK], group.outcomes[ROUND]) == (1, 1, 1)
    assert table.time_split[1] == 5_000_000_000


def test_time_split_separates_server_and_user() -> None:
    tape = Tape().started().initialized("2025-06-18")
    tape.call(1, "ask")
    tape.wait(100).server_request("q", "elicitation/create", {"message": "?"})
    tape.wait(900).client_answer("q", {"action": "decline"})
    tape.wait(200).answer(1, {"content": []})
    server, person, held = counted(tape).time_split
    assert (server, person, held) == (300_000_000, 900_000_000, 0)


# Groups


def _busy() -> Tape:
    tape = Tape().started().initialized("2025-06-18")
    tape.request("l", "tools/list")
    tape.answer("l", {"tools": [{"name": "dig"}, {"name": "row"}, {"name": "rest"}]})
    for id_, (tool, took, arguments) in enumerate(
        [("dig", 10, {"at": "a"}), ("dig", 20, {"at": "b"}), ("row", 500, {"at": 3}), ("row", 5, {})], 1
    ):
        tape.wait(60_000).call(id_, tool, arguments)
        tape.wait(took).answer(id_, {"content": [{"type": "text", "text": "x" * id_ * 10}]})
    return tape


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("tool", {"dig": 2, "row": 2}),
        ("method", {"initialize": 1, "tools/list": 1, "tools/call": 4}),
        ("server", {"lighthouse": 6}),
        ("client", {"mcp-inspect": 6}),
        ("args.at", {"a": 1, "b": 1, "3": 1, "(absent)": 1}),
    ],
)
def test_requests_are_grouped(by: str, keys: dict[str, int]) -> None:
    table = counted(_busy(), by)
    assert {group.key: group.calls for group in table.rows} == keys


def test_late_client_name_applies_to_earlier_requests() -> None:
    tape = Tape().started()
    tape.request(0, "initialize", {"protocolVersion": "2025-06-18", "clientInfo": {"name": "me"}, "capabilities": {}})
    table = StatsTable(read_grouping("server"))
    stats = JournalStats(tape.journal, table)
    stats.take()
    assert [group.key for group in table.rows] == ["(unknown)"]
    tape.answer(0, {"protocolVersion": "2025-06-18", "serverInfo": {"name": "late"}, "capabilities": {}})
    stats.take()
    assert [(group.key, group.calls) for group in table.rows] == [("late", 1)]


def test_hours_are_local_ones() -> None:
    table = counted(_busy(), "hour")
    assert sum(group.calls for group in table.rows) == 6
    assert all(group.key.endswith(":00") for group in table.rows)


@pytest.mark.parametrize("text", ["colour", "args", "args == 1", "args.", "params.x", ""])
def test_invalid_grouping_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="grouping"):
        read_grouping(text)


def test_too_many_keys_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.present.stats.MOST_GROUPS", 3)
    tape = Tape().started().initialized("2025-06-18")
    for id_ in range(1, 11):
        tape.call(id_, f"tool{id_}")
    table = counted(tape)
    assert {group.key: group.calls for group in table.rows} == {"(others)": 7, "tool1": 1, "tool2": 1, "tool3": 1}


def test_several_journals_are_counted_together() -> None:
    table = StatsTable()
    for source in range(2):
        JournalStats(_busy().journal, table, source=source).take()
    assert {group.key: group.calls for group in table.rows} == {"dig": 4, "row": 4}
    data = stats_data(table, (), ["one", "two"])
    assert data["totals"]["calls"] == 8
    assert {each["source"] for each in data["slowest"][:2]} == {"one", "two"}
    assert data["never_called"] == ["rest"]


def test_a_long_time_has_wider_slots_and_the_same_counts() -> None:
    tape = Tape().started().initialized("2025-06-18")
    for id_ in range(1, 40):
        tape.call(id_, "dig")
        tape.wait(10).answer(id_, {})
        tape.wait(3_600_000)
    table = counted(tape)
    (group,) = table.rows
    assert len(group.slots) <= 193
    assert sum(group.slots.values()) == 39
    parts = table.trend(group, 8)
    assert len(parts) == 8
    assert max(parts) < 1.5 * min(parts)


# Filters and repeats


def test_a_filter_narrows_what_is_counted_and_lets_it_back() -> None:
    tape = _busy()
    for text, kept in {"tool == dig": {"dig": 2}, "dur > 100ms": {"row": 1}, "args.at == b": {"dig": 1}}.items():
        term = parse(text)
        assert term is not None
        chosen, table = FilteredEntries(tape.journal, term, tape.clock), StatsTable()
        stats = JournalStats(tape.journal, table, chosen)
        while chosen.take() or stats.take(limit=1):
            pass
        assert {group.key: group.calls for group in table.rows} == kept
        assert {each.tool for each in table.slowest} == set(kept)


def test_a_filter_follows_what_happens() -> None:
    tape = _busy()
    term = parse("tool == dig and status == ok")
    assert term is not None
    chosen, table = FilteredEntries(tape.journal, term, tape.clock), StatsTable()
    stats = JournalStats(tape.journal, table, chosen)

    def counts() -> dict[str, int]:
        while chosen.take(limit=1) or stats.take(limit=1):
            pass
        return {group.key: group.calls for group in table.rows}

    assert counts() == {"dig": 2}
    tape.call(9, "dig")
    tape.call(10, "row")
    assert counts() == {"dig": 2}
    tape.wait(7).answer(9, {"content": []})
    tape.answer(10, {"content": []})
    assert counts() == {"dig": 3}


@pytest.mark.parametrize("by", ["tool", "method", "server", "hour"])
def test_the_filter_of_a_group_finds_its_requests(by: str) -> None:
    tape = _busy()
    grouping = read_grouping(by)
    for group in counted(tape, by).rows:
        term = filter_of(grouping, group.key)
        assert term is not None
        assert parse(describe(term)) == term
        chosen, table = FilteredEntries(tape.journal, term, tape.clock), StatsTable(grouping)
        stats = JournalStats(tape.journal, table, chosen)
        while chosen.take() or stats.take():
            pass
        assert {each.key: each.calls for each in table.rows}[group.key] == group.calls


def test_equal_calls_are_found_whatever_the_order_of_their_members() -> None:
    tape = Tape().started().initialized("2025-06-18")
    for id_, arguments in enumerate([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1}, {"a": 1, "b": 2}], 1):
        tape.call(id_, "dig", arguments)
    stats = JournalStats(tape.journal, StatsTable())
    stats.take()
    repeats = Repeats(stats)
    while repeats.take(limit=2):
        pass
    (found,) = repeats.top()
    assert (found.tool, found.arguments, found.count) == ("dig", b'{"a":1,"b":2}', 3)


def test_each_call_of_a_batch_is_counted_with_its_own_arguments() -> None:
    tape = Tape().started().initialized("2025-03-26")
    calls = [
        {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "dig", "arguments": {"a": id_ // 3}}}
        for id_ in range(5)
    ]
    tape.to_server(calls)
    stats = JournalStats(tape.journal, StatsTable(read_grouping("args.a")))
    stats.take()
    repeats = Repeats(stats)
    repeats.take(limit=10)
    assert {group.key: group.calls for group in stats.table.rows} == {"0": 3, "1": 2}
    assert [(each.arguments, each.count) for each in repeats.top()] == [(b'{"a":0}', 3)]


# For reading


_HOSTILE = '=HYPERLINK("x")\x1b[31m|`<b>'


def _hostile() -> StatsTable:
    tape = Tape().started().initialized("2025-06-18")
    tape.call(1, _HOSTILE)
    tape.wait(1).answer(1, {})
    return counted(tape)


@pytest.mark.parametrize("width", [20, 60, 80, 99, 100, 160])
def test_rows_fill_their_width(width: int) -> None:
    for table in (_hostile(), counted(_busy())):
        lines = [header(table.by, width), *(row(table, group, width) for group in table.rows)]
        for spans in lines:
            assert sum(cell_width(text) for text, _ in spans) == width
            assert "\x1b" not in "".join(text for text, _ in spans)


def test_foreign_names_act_in_no_format() -> None:
    table = _hostile()
    rows = list(csv.reader(io.StringIO(csv_text(table))))
    assert rows[1][0] == f"'{_HOSTILE}"
    assert rows[-1][0] == ""
    assert int(rows[1][rows[0].index("calls")]) == 1
    page = markdown_text(table, ())
    assert "\x1b" not in page
    assert "<b>" not in page.replace("\\<", "")


@pytest.mark.parametrize("column", [column.title for column in COLUMNS])
def test_each_column_sorts(column: str) -> None:
    table = counted(_busy())
    by = next(each for each in COLUMNS if each.title == column)
    values = [by.sort(group) for group in sorted_groups(table, column)]
    assert values == sorted(values, reverse=True)


def test_a_column_of_an_argument_is_named_as_it_was_typed() -> None:
    assert read_grouping('args["a b"].c') == Grouping("args", ("a b", "c"), 'args["a b"].c')
    assert "".join(text for text, _ in header(read_grouping("args.path"), 90)).startswith("args.path")


def test_calls_that_are_open_at_the_same_time_are_counted_for_each_group(tape: Tape) -> None:
    for number, tool in enumerate(("add", "add", "echo", "add"), 1):
        tape.request(number, "tools/call", {"name": tool})
        tape.wait(1)
    for number in (1, 2, 3):
        tape.answer(number, {"content": []})
        tape.wait(1)
    tape.request(5, "tools/call", {"name": "echo"})
    tape.wait(1)
    tape.answer(5, {"content": []})
    table = counted(tape)
    assert {key: group.in_flight for key, group in table.groups.items()} == {"add": 3, "echo": 1}
    data = stats_data(table, [], ["a"])
    assert [group["in_flight_max"] for group in data["groups"]] == [3, 1]
    assert data["totals"]["in_flight_max"] == 4


def test_calls_that_end_while_counting_are_no_longer_open(tape: Tape) -> None:
    table = StatsTable(read_grouping("tool"))
    stats = JournalStats(tape.journal, table)
    for number in (1, 2, 3):
        tape.request(number, "tools/call", {"name": "add"})
        stats.take()
        tape.wait(1)
        tape.answer(number, {"content": []})
        tape.wait(1)
    stats.take()
    assert table.groups["add"].in_flight == 1


def test_course_starts_at_the_lowest_value_and_fits_its_columns() -> None:
    assert len(course(range(1000, 2000), 30)) == 30
    assert course([5, 5, 5], 30) == "▁▁▁"
    assert course([100, 200], 2) == "▁█"
    assert course([100, 101], 2) == "▁▁"
