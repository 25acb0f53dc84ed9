"""Servers that others wrote ask, and a script answers from a file, in both eras and over every transport."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.config.targets import Target
from inspector.protocol.revisions._shape import Era
from tests.stories.commands import Ran, mcp_inspect, words_of
from tests.stories.real_targets import Real, built, installed, named

pytestmark = pytest.mark.real

_ANSWERS = [
    {"kind": "elicitation", "message": "rope", "answer": "accept", "content": {"metres": 12}},
    {"kind": "elicitation", "tool": "offer", "answer": "decline"},
    {"kind": "elicitation", "answer": "accept"},
    {"kind": "sampling", "answer": "text", "text": "Aye"},
]
EVERYTHING = ("everything-stdio", "everything-http", "everything-sse")
PILOTS = [(transport, era) for transport in ("stdio", "http") for era in (Era.LEGACY, Era.MODERN)]


async def _call(target: Target, place: Path, *words: str, answers: Any = _ANSWERS) -> Ran:
    """Call a tool with these answers prepared; None for no file at all."""
    before, after = words_of(target)
    given: tuple[str, ...] = ()
    if answers is not None:
        (place / "answers.json").write_text(json.dumps(answers))
        given = ("--responses", str(place / "answers.json"), "--root", str(place))
    return await mcp_inspect("call", *words, "--json", *given, *before, *after, place=place)


def _pilot(transport: str) -> Real:
    return built("mcp2", "pilot.py", transport)


@pytest.mark.parametrize("name", EVERYTHING)
async def test_everything_is_answered_what_it_asks(name: str, tmp_path: Path) -> None:
    async with installed(named(name), tmp_path) as target:
        filled = await _call(target, tmp_path, "trigger-elicitation-request")
        assert "Favorite Integer: 42" in filled.result_text
        assert "? elicitation: " in filled.messages
        sampled = await _call(target, tmp_path, "trigger-sampling-request", "-a", "prompt=hi")
        assert '"text": "Aye"' in sampled.result_text
        assert tmp_path.as_uri() in (await _call(target, tmp_path, "get-roots-list")).result_text


async def test_unanswered_elicitation_of_everything_fails_at_once(tmp_path: Path) -> None:
    async with installed(named("everything-stdio"), tmp_path) as target:
        ran = await _call(target, tmp_path, "trigger-elicitation-request", "--capability", "elicitation", answers=None)
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.error["code"] == "unanswered"
    assert "cancel" in json.dumps(ran.json["result"]), "the server goes on after an elicitation that was cancelled"


@pytest.mark.parametrize(("transport", "era"), PILOTS)
async def test_a_pilot_asks_in_the_way_of_the_era_and_the_words_are_the_same(
    transport: str, era: Era, tmp_path: Path
) -> None:
    async with installed(_pilot(transport), tmp_path) as target:
        moored = await _call(target, tmp_path, "moor", "-a", "ship=Gull", "--era", era)
        assert moored.result_text == "Gull lies at the south quay for 2 nights on 12 m of rope"
        assert moored.json["rounds"] == (3 if era is Era.MODERN else 1)
        assert "? elicitation: How much rope for the south quay?\n  → accept" in moored.messages
        assert (await _call(target, tmp_path, "offer", "--era", era)).result_text == "not taken: decline"
        assert (await _call(target, tmp_path, "advise", "--era", era)).result_text == "prepared says: Aye"
        assert (await _call(target, tmp_path, "look_around", "--era", era)).result_text == tmp_path.as_uri()


@pytest.mark.parametrize(("transport", "era"), PILOTS)
@pytest.mark.slow
async def test_unanswered_pilot_fails_at_once(transport: str, era: Era, tmp_path: Path) -> None:
    async with installed(_pilot(transport), tmp_path) as target:
        ran = await _call(target, tmp_path, "offer", "--era", era, "--capability", "elicitation", answers=None)
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.error["code"] == "unanswered"


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_lookout_gets_prepared_answers(transport: str, tmp_path: Path) -> None:
    answers = [
        {"kind": "elicitation", "message": "^What", "answer": "accept", "content": {"ship": "Gull", "masts": 2}},
        {"kind": "elicitation", "message": "^Which", "answer": "accept"},
    ]
    async with installed(built("fastmcp", "lookout.py", transport), tmp_path) as target:
        reported = await _call(target, tmp_path, "report", "--era", Era.LEGACY, answers=answers)
        assert reported.result_text == "Gull with 2 masts"
        assert (await _call(target, tmp_path, "choose", "--era", Era.LEGACY, answers=answers)).result_text == "flag A"
        declined = [{"kind": "elicitation", "answer": "cancel"}]
        assert (await _call(target, tmp_path, "choose", "--era", Era.LEGACY, answers=declined)).result_text == "cancel"


MATES = [
    *((package, transport) for package in ("mcp1", "mcp2", "fastmcp") for transport in ("stdio", "http")),
    ("mcp1", "sse"),
]
_OF_A_MATE = [
    {"kind": "elicitation", "message": "rope", "answer": "accept", "content": {"metres": 12}},
    {"kind": "elicitation", "tool": "survey", "answer": "accept", "content": {"metres": 3}},
    {"kind": "elicitation", "tool": "link", "answer": "decline"},
    {"kind": "elicitation", "answer": "accept", "content": {"ship": "Gull", "quay": "north"}},
    {"kind": "sampling", "answer": "text", "text": "Aye"},
]


@pytest.mark.parametrize(("package", "transport"), MATES)
async def test_a_mate_who_asks_by_requests_of_his_own_is_answered(package: str, transport: str, tmp_path: Path) -> None:
    async with installed(built(package, "mate.py", transport), tmp_path) as target:
        for tool, told in (
            ("ask", "{'ship': 'Gull', 'nights': 2, 'quay': 'north'}"),
            ("ask_twice", "'quay': 'north'} and {'metres': 12}"),
            ("advise", "prepared says: Aye"),
            ("look_around", tmp_path.as_uri()),
            ("link", "decline"),
        ):
            ran = await _call(target, tmp_path, tool, "--era", Era.LEGACY, answers=_OF_A_MATE)
            assert told in ran.result_text
            assert ran.json["rounds"] == 1


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("package", ["mcp2", "fastmcp"])
@pytest.mark.slow
async def test_a_mate_who_asks_three_things_in_one_result_is_answered_by_one_retry(
    package: str, transport: str, tmp_path: Path
) -> None:
    async with installed(built(package, "mate.py", transport), tmp_path) as target:
        ran = await _call(target, tmp_path, "survey", "--era", Era.MODERN, answers=_OF_A_MATE)
    assert ran.result_text == f"{{'metres': 3}}; Aye; {tmp_path.as_uri()}; mate's own words: ü/{{}}"
    assert ran.json["rounds"] == 2
    first, second = ran.seen.sent("tools/call")
    assert (first["params"].keys() & {"inputResponses", "requestState"}, set(second["params"]["inputResponses"])) == (
        set(),
        {"berth", "word", "roots"},
    )


@pytest.mark.slow
async def test_late_answer_for_a_mate_times_out(tmp_path: Path) -> None:
    late = [{"kind": "elicitation", "answer": "accept", "delay_ms": 60_000}]
    async with installed(built("mcp2", "mate.py", "stdio"), tmp_path) as target:
        ran = await _call(target, tmp_path, "ask", "--era", Era.LEGACY, "--max-total", "5", answers=late)
    assert ran.status == ExitStatus.TIMEOUT
    (call,) = ran.seen.sent("tools/call")
    (notice,) = ran.seen.sent("notifications/cancelled")
    assert notice["params"]["requestId"] == call["id"]
