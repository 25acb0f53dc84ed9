"""The checks of a growing journal: findings by entry and by item, and muted ones."""

import gc

import pytest

from inspector.capture.store.history import History
from inspector.capture.store.load import load
from inspector.capture.store.store import RecentEntries
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.runner import Inspection
from inspector.config.remembered import Mute
from inspector.present import live_checks
from inspector.present.changes.lists import against
from inspector.present.live_checks import JournalFindings, LiveChecks, PastChecks, mute_of
from inspector.present.spans import plain
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.listed_items import Tool
from inspector.tui.screens.items.model import findings_about, own_findings, shared_lines
from tests.captures.record import sample
from tests.present.tape import Tape


def finding(id_: str, n: int, severity: Severity = Severity.ERROR, pointer: str = "") -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, "something", (n,) if n else (), pointer)


def test_an_entry_has_the_mark_of_its_worst_finding(tape: Tape) -> None:
    found = JournalFindings(tape.journal)
    found.add([finding("A", 2, Severity.HINT), finding("B", 2), finding("C", 4, Severity.WARNING), finding("D", 0)])
    assert [found.mark(n) for n in (1, 2, 4, 99)] == [0, 3, 2, 0]
    assert found.worst(1, 6) == bytes((0, 3, 0, 2, 0, 0))
    assert [found.worst_of(*ends) for ends in ((1, 9), (3, 9), (3, 3))] == [3, 2, 0]
    assert list(found.marked(1, 9)) == [2, 4]
    assert [each.id for each in found.of(2)] == ["B", "A"]
    assert found.counts == {"hint": 1, "warning": 1, "error": 2}


def test_muted_findings_count_nothing(tape: Tape) -> None:
    found = JournalFindings(tape.journal)
    found.add([finding("A", 2), finding("A", 3, pointer="/x"), finding("B", 3, Severity.HINT)])
    found.mute([Mute("A", 3, "/x")])
    assert (found.mark(2), found.mark(3), found.counts["error"]) == (3, 1, 1)
    assert [each.id for each in found.of(3)] == ["B"]
    found.mute([Mute("A")])
    found.add([finding("A", 5)])
    assert (found.mark(2), found.mark(5), found.counts["error"]) == (0, 0, 0)
    changes = found.changes
    found.mute([])
    assert (found.mark(5), found.counts["error"], found.changes > changes) == (3, 2, True)
    assert mute_of(finding("D", 0)) != Mute("D")


def test_defect_of_a_tool_that_is_listed_again_is_counted_once(tape: Tape) -> None:
    found, tool = JournalFindings(tape.journal), {"name": "a", "inputSchema": 7}
    for at in (1, 2, 3):
        tape.request(at, "tools/list")
        n = tape.answer(at, {"tools": [tool]})
        found.add([finding("T1", n, pointer="/result/tools/0/inputSchema")])
    assert found.counts["error"] == 1
    assert [each.count for each in found.of_item("tools", "a", tool)] == [3]
    found.mute([Mute("T1")])
    assert (found.counts["error"], len(found.hidden)) == (0, 1)


def test_a_tool_has_the_findings_about_it_as_it_is_listed_now_and_about_its_calls(tape: Tape) -> None:
    tape.request(1, "tools/list")
    listed = [{"name": "a"}, {"name": "b", "inputSchema": 7}]
    n = tape.answer(1, {"tools": listed})
    tape.call(2, "a")
    answer = tape.answer(2, {})
    found = JournalFindings(tape.journal)
    found.add([finding("T1", n, pointer="/result/tools/1/inputSchema"), finding("K1", answer), finding("X", 1)])
    assert [each.id for each in found.of_item("tools", "b", listed[1])] == ["T1"]
    assert found.of_item("tools", "b", {"name": "b", "inputSchema": {}}) == []
    assert [each.id for each in found.of_item("tools", "a", listed[0])] == ["K1"]
    assert (found.faulty("tools"), found.faulty("prompts")) == (2, 0)
    found.mute([Mute("K1")])
    assert found.faulty("tools") == 1


def test_faulty_tools_are_counted_by_looking_at_each_finding_once(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.request(1, "tools/list")
    n = tape.answer(1, {"tools": [{"name": f"t{at}"} for at in range(50)] + ["no tool", {"name": 7}]})
    found, asked = JournalFindings(tape.journal), list[str]()
    of_item = JournalFindings.of_item

    def noting(self: JournalFindings, kind: str, key: str, item: object) -> list[Finding]:
        asked.append(key)
        return of_item(self, kind, key, item)

    monkeypatch.setattr(JournalFindings, "of_item", noting)
    found.add([finding("T1", n, Severity.WARNING, f"/result/tools/{at}") for at in range(50)])
    assert (found.faulty("tools"), asked) == (0, [])
    found.add([finding("T2", n, pointer=f"/result/tools/{at}") for at in (*range(40), *range(40))])
    assert (found.faulty("tools"), len(asked)) == (40, 40)
    found.add([finding("T2", n, pointer="/result/tools/45"), finding("T2", n, pointer="/result/tools/51")])
    assert (found.faulty("tools"), found.faulty("tools"), asked[40:]) == (42, 42, ["t45", ""])
    found.mute([Mute("T2", n, "/result/tools/45")])
    assert found.faulty("tools") == 41
    tape.request(2, "tools/list")
    tape.answer(2, {"tools": [{"name": "t1"}, {"name": "t2", "title": "another"}]})
    assert found.faulty("tools") == 1


def test_a_pointer_that_leads_nowhere_names_no_tool(tape: Tape) -> None:
    n = tape.from_server(b"{")
    found = JournalFindings(tape.journal)
    found.add([finding("T1", n, pointer="/result/tools/9"), finding("T1", n, pointer="/result/tools/0/name")])
    assert not found.has_items


def test_finding_shared_by_most_items_is_one_cause(tape: Tape) -> None:
    tape.request(1, "tools/list")
    listed = [{"name": f"t{at}"} for at in range(5)]
    n = tape.answer(1, {"tools": listed})
    found = JournalFindings(tape.journal)
    old = [finding("schema-dialect", n, Severity.WARNING, f"/result/tools/{at}/inputSchema") for at in range(4)]
    found.add([*old[:2], finding("argument-description", n, Severity.HINT, "/result/tools/1/inputSchema")])
    assert found.shared("tools") == []
    found.add(old[2:])
    assert [(each.id, each.count, each.of) for each in found.shared("tools")] == [("schema-dialect", 4, 5)]
    assert found.affected("schema-dialect", "warning") == ["t0", "t1", "t2", "t3"]
    tools = [Tool(each) for each in listed]
    assert [each.id for each in findings_about(found, tools[1])] == ["schema-dialect", "argument-description"]
    assert [[each.id for each in own_findings(found, tool)] for tool in tools] == [
        [],
        ["argument-description"],
        [],
        [],
        [],
    ]
    (line,) = [plain(line) for line in shared_lines(found, ("tools",), "E")]
    assert line.startswith("▲ schema-dialect ")
    assert line.endswith(" · 4 of 5  E Evidence")
    found.mute([Mute("schema-dialect")])
    assert found.shared("tools") == []


def test_bites_of_any_size_find_what_one_look_finds() -> None:
    journal = load(sample("shipyard"))
    whole = Inspection()
    wanted = whole.take(journal.store.entry(n) for n in range(1, journal.count + 1)) + whole.finish()
    checks, ticks = LiveChecks(journal, over=lambda: True), iter(range(10_000))
    steps = 0
    while checks.step(0.5, clock=lambda: float(next(ticks))):  # never time for a second batch
        steps += 1
    assert steps > 1
    assert sorted(map(repr, checks.all)) == sorted(map(repr, wanted))
    assert checks.is_done


def test_live_checks_continue_with_new_entries(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    assert not checks.step(1)
    tape.started()
    tape.from_server(b"hello")
    assert (checks.is_done, checks.checked, checks.total) == (False, 0, 3)
    checks.catch_up()
    assert (checks.is_done, checks.checked, checks.mark(3)) == (True, 3, 3)
    tape.died()
    checks.catch_up()
    assert "exit-without-input" in {each.id for each in checks.all}


def test_a_recording_without_an_end_is_judged_at_its_last_entry(tape: Tape) -> None:
    over = [False]
    checks = LiveChecks(tape.journal, over=lambda: over[0])
    tape.started().request(0, "initialize", {"protocolVersion": "x"})
    tape.wait(9000).stderr(b"still loading")
    tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    tape.started()
    checks.catch_up()
    before = len(checks.all)
    assert checks.checked == tape.journal.count
    over[0] = True
    assert checks.step(1.0)
    assert not checks.step(1.0)
    assert len(checks.all) >= before


def test_a_long_answer_is_passed_over_and_still_counts_as_one(tape: Tape) -> None:
    live_checks_longest = live_checks.LONGEST
    tape.started().initialized("2025-11-25")
    tape.call(1, "a")
    long = tape.answer(1, {"content": [{"type": "text", "text": "x" * (live_checks_longest + 1)}], "isError": 7})
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert (checks.passed_over, checks.checked) == (1, tape.journal.count)
    assert [each.id for each in checks.of(long)] == ["message-too-long"]
    tape.answer(1, {"content": []})
    checks.catch_up()
    assert [each.id for each in checks.of(tape.journal.count)] != []  # a second answer


def test_an_answer_of_some_megabytes_is_judged_like_any_other(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.request(1, "tools/list")
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "integer"}}}}
    tape.answer(
        1, {"tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}, "outputSchema": schema}]}
    )
    tape.call(2, "a")
    rows: list[object] = [10**15] * (live_checks.LONG // 16)
    long = tape.answer(2, {"content": [], "isError": 7, "structuredContent": {"rows": [*rows, "odd"]}})
    checks = LiveChecks(tape.journal)
    collects = gc.isenabled()
    checks.catch_up()
    assert (checks.passed_over, gc.isenabled()) == (0, collects)
    assert "is-error-not-boolean" in {each.id for each in checks.of(long)}
    assert checks.mark(long) == 3


def test_a_long_question_is_known_when_it_is_answered(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    params = {"messages": [], "maxTokens": 1, "systemPrompt": "x" * (live_checks.LONGEST + 1)}
    tape.server_request(5, "sampling/createMessage", params)
    tape.client_answer(5, {"role": "assistant", "content": {"type": "text", "text": "y"}, "model": "m"})
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert checks.passed_over == 1
    assert checks.of(tape.journal.count) == []


def test_unreadable_entry_is_not_judged(tape: Tape) -> None:
    tape.started().call(1, "a")
    tape.journal.close()
    vars(tape.journal.store)["_recent"] = RecentEntries()
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert (checks.is_done, checks.all) == (True, [])


def test_log_flood_is_sampled(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.flood(6000)
    bad = tape.from_server(b"hello")
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert checks.checked == tape.journal.count
    assert 3000 < checks.skimmed < 6000
    assert checks.mark(bad) == 3


def test_a_long_page_is_made_objects_once_and_judged_as_it_came(tape: Tape) -> None:
    tools = [{"name": f"t{n}", "description": "x" * 400, "inputSchema": {"type": "string"}} for n in range(2500)]
    tape.started().initialized("2025-11-25")
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": tools, "nextCursor": 7})
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    known = checks._begun().state.lists.known["tools"]["t0"]
    assert known.item is tape.journal.conversation.catalogue.listings["tools"].items[0]
    alone = Inspection()
    store = tape.journal.store
    wanted = alone.take(store.entry(n) for n in range(1, tape.journal.count + 1)) + alone.judge_pending(alone.waiting)
    assert {each.id for each in wanted} >= {"input-schema-not-object", "cursor-not-string"}
    assert sorted(map(repr, checks.all)) == sorted(map(repr, wanted))


def test_a_page_of_many_findings_is_kept_once(tape: Tape) -> None:
    """Neither the checks nor what finds a finding's tool, nor what is remembered, has the page a second time."""
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "default": 7} for n in range(12)}}
    tools = [{"name": f"t{n}", "description": "x" * 500, "inputSchema": schema} for n in range(1200)]
    tape.started().initialized("2025-11-25")
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": tools})
    del tools
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert {"contradictory-schema", "tool-incomplete"} & {each.id for each in checks.all}
    memory = against({}, tape.journal.conversation, 5)
    assert checks.is_done
    assert memory.first
    assert checks.of_item("tools", "t0", tape.journal.conversation.catalogue.listings["tools"].items[0])
    gc.collect()  # what tests before this one have left
    held = [each for each in gc.get_objects() if isinstance(each, dict) and each.get("name") == "t1100"]
    assert len([each for each in held if each["inputSchema"] == schema]) == 1


def ids(checks: JournalFindings) -> list[str]:
    return [each.id for each in checks.all]


def test_past_checks_equal_checks_of_those_entries() -> None:
    journal = load(sample("lighthouse"))
    whole = LiveChecks(journal, over=lambda: True)
    whole.catch_up()
    for n in (1, 5, 6, 20, 33, journal.count):
        then = PastChecks(History(journal).at(n), whole)
        alone = LiveChecks(History(journal).at(n))
        alone.catch_up()
        assert sorted(ids(then)) == sorted(ids(alone)), n
        assert [then.mark(at) for at in range(n + 1)] == [alone.mark(at) for at in range(n + 1)]
        assert (then.faulty("tools"), then.counts) == (alone.faulty("tools"), alone.counts)
        assert then.is_done
        assert then.later == len(whole.all) - len(then.all)
    assert len(whole.all) > 5


def test_end_findings_appear_only_at_the_end(tape: Tape) -> None:
    tape.started()
    tape.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me"}})
    tape.wait(5000).died()
    whole = LiveChecks(tape.journal)
    whole.catch_up()
    past = History(tape.journal)
    moment = past.at(tape.journal.count - 1)
    then = PastChecks(moment, whole)
    assert "exit-during-handshake" in ids(whole)
    assert "exit-during-handshake" not in ids(then)
    assert then.later == len(whole.all) - len(then.all) > 0
    moment.advance(tape.journal.count)
    assert sorted(ids(then.now())) == sorted(ids(whole))
    assert then.later == 0


def test_past_checks_share_pause_and_mutes(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = LiveChecks(tape.journal)
    then = PastChecks(History(tape.journal).at(tape.journal.count), whole)
    assert (then.is_done, then.checked, ids(then)) == (False, 0, [])
    whole.catch_up()
    then.now()
    assert (then.is_done, ids(then), then.times("stdout-not-json")) == (True, ["stdout-not-json"], 1)
    then.mute([Mute("stdout-not-json")])
    assert (whole.counts, then.is_muted(then.all[0])) == (then.counts, True)
    then.pause(True)
    assert (whole.paused, then.paused) == (True, True)
    assert not then.step(1)
    assert then.unvalidated == 0
