"""Listing skills, getting and reading them, step by step."""

from typing import Any

from inspector.protocol.flows.skills import check_skill, get_skill, list_skills, read_skill_file
from inspector.protocol.flows.steps import Flow, Replied, Send, Silent
from inspector.protocol.jsonrpc import Part, ResultResponse
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.protocol.skills import Skill
from tests.protocol.test_skills import ROOT, TEXT, entry, listed, text_result

MODERN = newest_of(Era.MODERN)


def run(flow: Flow[Any], *results: Any) -> tuple[Any, list[Send]]:
    """What a flow returns when its requests get these results (None: silence), and the requests."""
    sent: list[Send] = []
    coming = iter(results)
    reply: Any = None
    try:
        while True:
            step = flow.send(reply)
            assert isinstance(step, Send)
            sent.append(step)
            result = next(coming)
            answer = ResultResponse(1, Part(None, result))
            reply = Silent(None, 1.0, "idle") if result is None else Replied(answer, None)  # type: ignore[arg-type]
    except StopIteration as stop:
        return stop.value, sent


def test_all_pages_are_listed_and_nothing_is_read() -> None:
    pages, sent = run(
        list_skills(revision=MODERN),
        {"skills": [entry().raw], "nextCursor": "2"},
        {"skills": [entry(uri="skill://a/SKILL.md").raw]},
    )
    assert [skill.uri for skill in pages.skills] == [f"{ROOT}/SKILL.md", "skill://a/SKILL.md"]
    assert [(step.method, step.params) for step in sent] == [("skills/list", None), ("skills/list", {"cursor": "2"})]
    assert pages.stopped == ""


def test_skill_list_that_ends_early_has_a_reason() -> None:
    assert run(list_skills(revision=MODERN), {})[0].stopped == "the result has no array 'skills'"
    twice = {"skills": [], "nextCursor": "x"}
    assert "a second time" in run(list_skills(revision=MODERN), twice, twice)[0].stopped
    silent, _ = run(list_skills(revision=MODERN), None)
    assert (silent.stopped, silent.failed) == ("page 1 could not be fetched", Silent(None, 1.0, "idle"))


def test_get_skill_requests_its_uri() -> None:
    (skill, _), sent = run(get_skill(f"{ROOT}/SKILL.md", revision=MODERN), {"skill": entry().raw})
    assert skill == entry()
    assert (sent[0].method, sent[0].params) == ("skills/get", {"uri": f"{ROOT}/SKILL.md"})
    assert run(get_skill("x", revision=MODERN), {})[0][0] is None


def test_a_file_is_read_and_verified() -> None:
    skill = entry()
    read, sent = run(read_skill_file(skill, skill.files[0], revision=MODERN), text_result(TEXT))
    assert read.ok
    assert [step.params for step in sent] == [{"uri": f"{ROOT}/SKILL.md"}]


def test_check_skill_stops_at_the_first_mismatch() -> None:
    skill = entry(listed("b.md", b"b"))
    reads, sent = run(check_skill(skill, skill.files, revision=MODERN), text_result(TEXT + "?"))
    assert [read.ok for read in reads] == [False]
    assert len(sent) == 1
    reads, sent = run(check_skill(skill, skill.files, revision=MODERN), text_result(TEXT), text_result("b", "b.md"))
    assert [read.ok for read in reads] == [True, True]


def test_disallowed_skill_file_is_not_requested() -> None:
    skill = entry(listed("../../etc/passwd", b""))
    read, sent = run(read_skill_file(skill, skill.files[1], revision=MODERN))
    assert (read.refused, sent) == ("it is not within the skill's directory", [])
    bad = Skill({"uri": "skill://x/SKILL.md", "resources": 3})
    assert run(read_skill_file(bad, skill.files[0], revision=MODERN))[0].refused.startswith("its resources")


def test_a_dynamic_skill_is_read_without_a_digest() -> None:
    skill = entry(resources="dynamic")
    read, _ = run(read_skill_file(skill, skill.files[0], revision=MODERN), text_result(TEXT))
    assert read.ok


def test_a_silence_is_no_match() -> None:
    skill = entry()
    read, _ = run(read_skill_file(skill, skill.files[0], revision=MODERN), None)
    assert (read.ok, read.verified) == (False, None)
