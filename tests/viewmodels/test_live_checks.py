"""Checks over a journal that grows: in bites, in order, never past what has come, and not stopped by what is long."""

import gc

from inspector.capture.load import load
from inspector.capture.recent import Recent
from inspector.checks.inspection import Inspection
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.viewmodels import live_checks
from inspector.viewmodels.live_checks import LiveChecks
from inspector.viewmodels.since_seen import against
from tests.captures.record import sample
from tests.viewmodels.tape import Tape


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
    journal.close()


def test_what_comes_later_is_checked_later(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    assert not checks.step(1)
    tape.started()
    tape.from_server(b"hello")
    assert (checks.is_done, checks.checked, checks.total) == (False, 0, 3)
    checks.catch_up()
    assert (checks.is_done, checks.checked, checks.mark(3)) == (True, 3, 3)
    tape.died()
    checks.catch_up()
    assert "P-04" in {each.id for each in checks.all}


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
    assert [each.id for each in checks.of(long)] == ["F-12"]
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
    rows: list[object] = [1] * (live_checks.LONG // 2)
    long = tape.answer(2, {"content": [], "isError": 7, "structuredContent": {"rows": [*rows, "odd"]}})
    checks = LiveChecks(tape.journal)
    collects = gc.isenabled()
    checks.catch_up()
    assert (checks.passed_over, gc.isenabled()) == (0, collects)
    assert "K10" in {each.id for each in checks.of(long)}
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


def test_what_can_not_be_read_back_is_not_judged(tape: Tape) -> None:
    tape.started().call(1, "a")
    tape.journal.close()
    vars(tape.journal.store)["_recent"] = Recent()
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert (checks.is_done, checks.all) == (True, [])


def test_of_a_flood_of_log_messages_some_are_looked_at(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.flood(6000)
    bad = tape.from_server(b"hello")
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    assert checks.checked == tape.journal.count
    assert 3000 < checks.skimmed < 6000
    assert checks.mark(bad) == 3


def test_a_long_page_is_made_objects_once_and_judged_as_it_came(tape: Tape) -> None:
    tools = [{"name": f"t{n}", "description": "x" * 100, "inputSchema": {"type": "string"}} for n in range(8000)]
    tape.started().initialized("2025-11-25")
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": tools, "nextCursor": 7})
    checks = LiveChecks(tape.journal)
    checks.catch_up()
    known = checks._begun().scene.known["tools"]["t0"]
    assert known.item is tape.journal.conversation.catalogue.listings["tools"].items[0]
    alone = Inspection()
    store = tape.journal.store
    wanted = alone.take(store.entry(n) for n in range(1, tape.journal.count + 1)) + alone.linger(alone.waiting)
    assert {each.id for each in wanted} >= {"T02", "A01"}
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
    assert {"S-10", "T01"} & {each.id for each in checks.all}
    memory = against({}, tape.journal.conversation, 5)
    assert checks.is_done
    assert memory.first
    assert checks.of_thing("tools", "t0", tape.journal.conversation.catalogue.listings["tools"].items[0])
    held = [each for each in gc.get_objects() if isinstance(each, dict) and each.get("name") == "t1100"]
    assert len(held) == 1
