"""What has changed in a list, as lines."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from inspector.present.changes.lists import (
    MOST_THINGS,
    ListNews,
    about_lines,
    against,
    alarm,
    approved,
    can_approve,
    change_lines,
    day,
    head_lines,
    in_short,
    marks_of,
    marks_since,
    news_lines,
    remember_first,
    since_lines,
)
from inspector.present.changes.sides import word_differences
from inspector.present.spans import plain
from inspector.protocol.changes import ListChanges, list_changes
from inspector.protocol.exchanges import Exchange
from inspector.protocol.fingerprints import Remembered, known_of, known_text
from inspector.protocol.frames import Direction
from inspector.protocol.listed_items import LISTS
from inspector.protocol.tracking.catalogue import Catalogue
from tests.present.tape import Tape
from tests.tui.staging import handshake


def shown(kind: str, before: list[Any], after: list[Any]) -> list[str]:
    return [plain(line) for line in change_lines(list_changes(kind, before, after))]


def test_short_summary_counts_changes() -> None:
    changes = list_changes("tools", [{"name": "a"}, {"name": "b"}], [{"name": "b", "title": "B"}, {"name": "c"}])
    assert in_short([changes]) == "1 new, 1 gone, 1 changed"
    assert in_short([changes, changes]) == "2 new, 2 gone, 2 changed"
    assert in_short([ListChanges("tools")]) == ""
    assert in_short([ListChanges("tools", reordered=True)]) == "different order"


def test_added_and_removed_items_are_listed_by_name() -> None:
    before = [{"uri": "x://old", "name": "old", "title": "The old one"}]
    after = [{"uri": "x://new", "name": "new"}, {"uri": "x://newer", "name": "newer"}]
    assert shown("resources", before, after) == [
        "2 resources added",
        "  + x://new  new",
        "  + x://newer  newer",
        "",
        "1 resource removed",
        "  − x://old  The old one",
    ]


def test_changed_item_has_schema_paths_and_word_diff() -> None:
    before = {
        "name": "find",
        "description": "Find two things",
        "inputSchema": {"properties": {"q": {"type": "string"}, "old": {}}},
    }
    after = {
        "name": "find",
        "description": "Find three things",
        "inputSchema": {"properties": {"q": {"type": "integer"}, "new": {}}},
    }
    assert shown("tools", [before], [after]) == [
        "1 tool changed",
        "  ◆ find",
        "    description",
        "      − Find [two] things",
        "      + Find [three] things",
        '    inputSchema.properties.q.type: "string" → "integer"',
        "    inputSchema.properties.old: − {}",
        "    inputSchema.properties.new: + {}",
    ]


def test_prompt_arguments_are_compared_by_name() -> None:
    before = {"name": "hail", "arguments": [{"name": "ship", "required": False}]}
    after = {"name": "hail", "arguments": [{"name": "ship", "required": True}]}
    assert shown("prompts", [before], [after])[2:] == ["    arguments.ship.required: false → true"]


def test_foreign_text_is_made_visible() -> None:
    lines = shown("tools", [{"name": "a", "\x1b": "x y"}], [{"name": "a", "\x1b": "x \x1b[31m y"}, {"name": "\x1b]0;"}])
    assert "\x1b" not in "".join(lines)


def test_many_changes_are_limited() -> None:
    lines = shown("tools", [], [{"name": f"t{n}"} for n in range(MOST_THINGS + 7)])
    assert lines[-1] == "  and 7 more"
    many = shown("tools", [{"name": "a"}], [{"name": "a"} | {f"m{n}": n for n in range(300)}])
    assert lines[0] == "507 tools added"
    assert many[-1] == "      and more"


def test_reordered_list_is_reported() -> None:
    assert shown("tools", [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]) == [
        "Tools: same items, different order"
    ]


def test_texts_without_a_word_in_common_and_long_ones_are_shown_whole() -> None:
    before, after = word_differences("one", "two")
    assert (plain(before), plain(after)) == ("[one]", "[two]")
    before, after = word_differences("a " * 5_000, "b")
    assert "[" not in plain(before)


S = 1_000_000_000


def listed(catalogue: Catalogue, kind: str, items: list[Any], **more: Any) -> None:
    exchange = Exchange(1, Direction.TO_SERVER, 1, LISTS[kind].method, "", 1, 0, ended_ns=0)
    catalogue.answered(exchange, None, {LISTS[kind].member: items} | more)


def news(catalogue: Catalogue, *kinds: str, **more: Any) -> list[ListNews]:
    found = catalogue.listings
    return [ListNews(kind, found[kind], found[kind].changes(kind), **more) for kind in kinds]


def above(found: list[ListNews], now_s: int = 12) -> list[str]:
    lines = news_lines(found, now_s * S, lambda ns: f"0:{ns // S:02}", changes_key="D", more_key=">", refresh_key="L")
    return [plain(line) for line in lines]


def test_unchanged_list_has_no_news() -> None:
    catalogue = Catalogue()
    assert above(news(catalogue, "tools")) == []
    listed(catalogue, "tools", [{"name": "a"}])
    assert above(news(catalogue, "tools")) == []


def test_changed_list_has_counts_and_a_key() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}, {"name": "b"}])
    listed(catalogue, "tools", [{"name": "b", "title": "B"}, {"name": "c"}, {"name": "d"}])
    assert above(news(catalogue, "tools")) == ["2 new, 1 gone, 1 changed: D shows the diff"]
    assert marks_of(news(catalogue, "tools")) == {"b": "changed", "c": "new", "d": "new"}


def test_outdated_list_names_the_refresh_key() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [])
    catalogue.changed("notifications/tools/list_changed")
    assert above(news(catalogue, "tools")) == ["▲ changed: L refreshes"]
    assert above(news(catalogue, "tools", fetching=True)) == []


def test_more_pages_are_announced_per_kind() -> None:
    catalogue = Catalogue()
    listed(catalogue, "resources", [{"uri": "x://a"}], nextCursor="2")
    assert above(news(catalogue, "resources")) == ["page 1, more: > fetches the next"]
    assert above(news(catalogue, "resources", "templates")) == ["resources: page 1, more: > fetches the next"]
    assert above(news(catalogue, "resources", fetching=True)) == []


def test_list_remark_is_shown_once_with_a_count() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}, {"name": "a"}])
    assert above(news(catalogue, "tools", stopped="page 2 is page 1 again")) == [
        "▲ page 2 is page 1 again (and 1 more: D)"
    ]


def test_list_age_is_shown_with_ttl_only() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [], ttlMs=60_000)
    listed(catalogue, "prompts", [], ttlMs=5_000, cacheScope="public")
    assert above(news(catalogue, "tools", "prompts")) == ["fetched 0:00 · stale since 0:05 · cacheScope public"]


def test_fresh_list_shows_no_line_about_its_cache_hints() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [], ttlMs=60_000, cacheScope="public")
    assert above(news(catalogue, "tools"), 59) == []
    assert above(news(catalogue, "tools"), 60) == ["fetched 0:00 · stale since 0:60 · cacheScope public"]


def test_list_that_is_never_to_be_cached_shows_no_line_about_it() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [], ttlMs=0, cacheScope="public")
    assert above(news(catalogue, "tools"), 60) == []


def test_about_lines_have_state_remarks_and_changes() -> None:
    catalogue = Catalogue()
    listed(catalogue, "tools", [{"name": "a"}])
    listed(catalogue, "tools", [{"name": "b"}, {"name": "b"}], nextCursor="x\x1b", ttlMs=-1)
    catalogue.changed("notifications/tools/list_changed")
    lines = [plain(line) for line in about_lines(news(catalogue, "tools", "prompts", stopped="no"), 3 * S)]
    assert lines == [
        "Tools  2 items on 1 page",
        "  ▲ ttlMs -1 is negative: it counts as 0   fetched 3 s ago · TTL 0: not to be cached",
        "  ▲ list_changed received since",
        "  incomplete: the next page's cursor is 'x␛'",
        "  ▲ no",
        "  ▲ 1 item comes more than once: b",
        "",
        "  Changed 3 s ago:",
        "",
        "  2 tools added",
        "    + b  ",
        "    + b  ",
        "",
        "Prompts",
        "  never listed",
    ]


def test_about_lines_of_an_unchanged_list() -> None:
    catalogue = Catalogue()
    listed(catalogue, "prompts", [])
    lines = [plain(line) for line in about_lines(news(catalogue, "prompts"), 0)]
    assert lines[-1] == "  unchanged since first listed"


_NOV_2 = 1_793_620_800
_TOOL = {"inputSchema": {"type": "object"}}


def _remembered(*tools: Mapping[str, object], instructions: str = "") -> dict[str, Remembered]:
    return {"tools": known_of("tools", tools, _NOV_2), "instructions": known_text(instructions, _NOV_2)}


def test_a_server_that_is_met_for_the_first_time_is_to_be_remembered(tape: Tape) -> None:
    memory = against({}, handshake(tape).journal.conversation, 5)
    assert not memory.alarms
    assert remember_first(memory) == "2 tools"
    assert {kind: [*known.items] for kind, known in memory.first.items()} == {
        "tools": ["buy", "sell"],
        "instructions": [""],
    }
    again = against(memory.first, tape.journal.conversation, 6)
    assert (again.first, again.alarms, alarm(again), since_lines(again, ("tools",))) == ({}, False, "", [])


def test_changed_and_new_tools_alarm_until_approved(tape: Tape) -> None:
    known = _remembered({"name": "buy", "description": "Buys.", **_TOOL}, {"name": "gone", **_TOOL})
    memory = against(known, handshake(tape).journal.conversation, 5)
    assert day(_NOV_2, UTC) == "2026-11-02"
    assert alarm(memory) == f"1 tool changed, 1 new since {day(_NOV_2)}"
    assert marks_since(memory, ("tools",)) == {"buy": "changed", "sell": "new"}
    assert marks_since(memory, ("prompts",)) == {}
    (line,) = head_lines(memory, ("tools",), changes_key="D")
    assert plain(line) == f"▲ {alarm(memory)}: D shows the diff"
    told = [plain(each).strip() for each in since_lines(memory, ("tools",))]
    assert {'description: − "Buys."', "+ sell", "− gone"} <= set(told)
    now = approved(memory, ("tools",), 9)
    assert now["tools"].since == 9
    assert not against(now, tape.journal.conversation, 10).alarms


def test_removed_tool_alone_needs_no_approval(tape: Tape) -> None:
    names = ("buy", "sell", "lend")
    memory = against(_remembered(*({"name": each, **_TOOL} for each in names)), handshake(tape).journal.conversation, 5)
    assert not memory.alarms
    assert not can_approve(memory, ("tools",))


def test_changed_instructions_alarm_in_every_list(tape: Tape) -> None:
    tools = [{"name": each, **_TOOL} for each in ("buy", "sell")]
    memory = against(_remembered(*tools, instructions="Be \x1b[31mkind."), handshake(tape).journal.conversation, 5)
    assert alarm(memory) == f"the instructions changed since {day(_NOV_2)}"
    assert can_approve(memory, ("prompts",))
    told = "\n".join(plain(each) for each in since_lines(memory, ("prompts",)))
    assert "␛[31m" in told
    assert "\x1b" not in told


def test_change_without_stored_text_is_reported(tape: Tape) -> None:
    known = {"tools": Remembered(_NOV_2, {"buy": ("sha256:other", None), "sell": ("sha256:other", {"name": "sell"})})}
    memory = against(known, handshake(tape).journal.conversation, 5)
    assert alarm(memory).startswith("2 tools changed since")
    assert "too long to store" in "\n".join(plain(each) for each in since_lines(memory, ("tools",)))


def test_a_day_beyond_the_calendar_is_no_reason_to_fail() -> None:
    assert day(1 << 60) == "0001-01-01"
