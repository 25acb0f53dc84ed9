"""What was found, by entry and by thing; and what is muted counts for nothing."""

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.config.mutes import Mute
from inspector.protocol.things import Tool
from inspector.viewmodels.found import Found, mute_of
from inspector.viewmodels.lines import plain
from inspector.viewmodels.thing_findings import findings_about, own_findings, shared_lines
from tests.viewmodels.tape import Tape


def finding(id_: str, n: int, severity: Severity = Severity.ERROR, pointer: str = "") -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, "something", (n,) if n else (), pointer)


def test_an_entry_has_the_mark_of_its_worst_finding(tape: Tape) -> None:
    found = Found(tape.journal)
    found.add([finding("A", 2, Severity.HINT), finding("B", 2), finding("C", 4, Severity.WARNING), finding("D", 0)])
    assert [found.mark(n) for n in (1, 2, 4, 99)] == [0, 3, 2, 0]
    assert found.worst(1, 6) == bytes((0, 3, 0, 2, 0, 0))
    assert [found.worst_of(*ends) for ends in ((1, 9), (3, 9), (3, 3))] == [3, 2, 0]
    assert list(found.marked(1, 9)) == [2, 4]
    assert [each.id for each in found.of(2)] == ["B", "A"]
    assert found.counts == {"hint": 1, "warning": 1, "error": 2}


def test_what_is_muted_counts_for_nothing_until_it_is_not(tape: Tape) -> None:
    found = Found(tape.journal)
    found.add([finding("A", 2), finding("A", 3, pointer="/x"), finding("B", 3, Severity.HINT)])
    found.mute([Mute("A", 3, "/x")])
    assert (found.mark(2), found.mark(3), found.counts["error"]) == (3, 1, 1)
    assert [each.id for each in found.of(3)] == ["B"]
    found.mute([Mute("A")])
    found.add([finding("A", 5)])
    assert (found.mark(2), found.mark(5), found.counts["error"]) == (0, 0, 0)
    changes = found.changes
    found.mute([])
    assert (found.mark(5), found.counts["error"], found.changes > changes) == (3, 3, True)
    assert mute_of(finding("D", 0)) != Mute("D")


def test_a_tool_has_the_findings_about_it_as_it_is_listed_now_and_about_its_calls(tape: Tape) -> None:
    tape.request(1, "tools/list")
    listed = [{"name": "a"}, {"name": "b", "inputSchema": 7}]
    n = tape.answer(1, {"tools": listed})
    tape.call(2, "a")
    answer = tape.answer(2, {})
    found = Found(tape.journal)
    found.add([finding("T1", n, pointer="/result/tools/1/inputSchema"), finding("K1", answer), finding("X", 1)])
    assert [each.id for each in found.of_thing("tools", "b", listed[1])] == ["T1"]
    assert found.of_thing("tools", "b", {"name": "b", "inputSchema": {}}) == []
    assert [each.id for each in found.of_thing("tools", "a", listed[0])] == ["K1"]
    assert (found.faulty("tools"), found.faulty("prompts")) == (2, 0)
    found.mute([Mute("K1")])
    assert found.faulty("tools") == 1


def test_faulty_tools_are_counted_by_looking_at_each_finding_once(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.request(1, "tools/list")
    n = tape.answer(1, {"tools": [{"name": f"t{at}"} for at in range(50)] + ["no tool", {"name": 7}]})
    found, asked = Found(tape.journal), list[str]()
    of_thing = Found.of_thing

    def noting(self: Found, kind: str, key: str, item: object) -> list[Finding]:
        asked.append(key)
        return of_thing(self, kind, key, item)

    monkeypatch.setattr(Found, "of_thing", noting)
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
    found = Found(tape.journal)
    found.add([finding("T1", n, pointer="/result/tools/9"), finding("T1", n, pointer="/result/tools/0/name")])
    assert not found.has_things


def test_what_most_things_have_in_common_is_one_cause(tape: Tape) -> None:
    tape.request(1, "tools/list")
    listed = [{"name": f"t{at}"} for at in range(5)]
    n = tape.answer(1, {"tools": listed})
    found = Found(tape.journal)
    old = [finding("S-04", n, Severity.WARNING, f"/result/tools/{at}/inputSchema") for at in range(4)]
    found.add([*old[:2], finding("T17", n, Severity.HINT, "/result/tools/1/inputSchema")])
    assert found.shared("tools") == []
    found.add(old[2:])
    assert [(each.id, each.count, each.of) for each in found.shared("tools")] == [("S-04", 4, 5)]
    tools = [Tool(each) for each in listed]
    assert [each.id for each in findings_about(found, tools[1])] == ["S-04", "T17"]
    assert [[each.id for each in own_findings(found, tool)] for tool in tools] == [[], ["T17"], [], [], []]
    (line,) = [plain(line) for line in shared_lines(found, ("tools",), "E")]
    assert line.startswith("▲ S-04 ")
    assert line.endswith(" · 4 of 5  E shows the evidence")
    found.mute([Mute("S-04")])
    assert found.shared("tools") == []
