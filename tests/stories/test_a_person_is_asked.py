"""Server requests of real servers, answered at the screen in the dialog and in the Inbox, in both eras."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.protocol.capabilities import ALL
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import Root
from inspector.session.options import Timeouts
from tests.stories.persons import SIZE, Person, at_the_screen
from tests.stories.real_targets import Real, built, named, running
from tests.waiting import until

pytestmark = pytest.mark.real

EVERYTHING = ("everything-stdio", "everything-http", "everything-sse")
MATES = [("mcp1", "stdio"), ("mcp1", "http"), ("mcp1", "sse"), ("mcp2", "stdio"), ("fastmcp", "http")]
PILOTS = [(transport, era) for transport in ("stdio", "http") for era in (Era.LEGACY, Era.MODERN)]


@asynccontextmanager
async def asked(
    real: Real, place: Path, size: tuple[int, int] = SIZE, *, era: Era = Era.LEGACY, **settings: Any
) -> AsyncIterator[Person]:
    """A person who can be asked anything, before the app on this server."""
    roots = (Root(place.as_uri(), "here"),)
    more = {"offers": frozenset(ALL), "has_person": True, "roots": roots, "era": era} | settings
    async with running(real, place) as target, at_the_screen(target, None, size, **more) as person:
        await person.sees("● Connected", "→ tools/list")
        yield person


async def choose(person: Person, tool: str) -> None:
    """Go to the tools, find one, open its form."""
    await person.press("2", shows=(" Tool", tool))
    await person.press("slash")
    await person.types(tool[:20], shows=("✓", f"▌ {tool}"))
    await person.press("enter", "enter")


async def call(person: Person, tool: str) -> None:
    """Go to the tools and call one that needs no arguments."""
    await choose(person, tool)
    await person.sees("Call ^j")
    await person.press("ctrl+j")


def crossed(person: Person, direction: Direction) -> list[Any]:
    """The messages that crossed in one direction, in order."""
    frames = [frame for frame in person.wire().frames if frame.direction is direction and frame.payload]
    return [json.loads(frame.payload) for frame in frames if frame.payload.startswith(b"{")]


def asked_by_request(person: Person, method: str) -> Any:
    """The server's own request of a method, the newest, and what it was answered."""
    request = [each for each in crossed(person, Direction.FROM_SERVER) if each.get("method") == method][-1]
    sent = crossed(person, Direction.TO_SERVER)
    answers = [each for each in sent if each.get("id") == request["id"] and "method" not in each]
    assert len(answers) <= 1
    return request.get("params", {}), answers[0] if answers else None


def has_asked(person: Person, method: str, times: int) -> bool:
    """Whether the server has sent so many requests of a method."""
    return len([each for each in crossed(person, Direction.FROM_SERVER) if each.get("method") == method]) == times


def results_that_ask(person: Person) -> list[Any]:
    """The results by which the server asked, in order."""
    results = [message.get("result", {}) for message in crossed(person, Direction.FROM_SERVER)]
    return [result for result in results if "inputRequests" in result]


@pytest.mark.parametrize("name", EVERYTHING)
async def test_a_form_with_every_kind_of_field_is_filled_in_the_dialog(name: str, tmp_path: Path) -> None:
    async with asked(named(name), tmp_path, (120, 60)) as person:
        await call(person, "trigger-elicitation-request")
        await person.sees("asks in trigger-elicitation-request", "! here")
        await person.press("exclamation_mark", shows=("Server request", "String", "● unset", "Decline ^d", "Cancel ^x"))
        await person.types("Ann", shows="✓ Valid")
        await person.press("tab", "right")
        await person.press("ctrl+j", shows=("✓ OK", "- Name: Ann", "- Agreed to terms: true", "- Favorite Integer: 42"))
        _, answer = asked_by_request(person, "elicitation/create")
    content = answer["result"].pop("content")
    assert answer["result"] == {"action": "accept"}
    assert (content["name"], content["check"], content["number"]) == ("Ann", True, 3.14)
    assert (content["untitledMultipleSelectEnum"], content["titledMultipleSelectEnum"]) == (["Guitar"], ["fish-1"])
    assert (content["titledSingleSelectEnum"], content["legacyTitledEnum"]) == ("hero-1", "pet-1")
    assert "email" not in content


@pytest.mark.parametrize("name", EVERYTHING)
async def test_a_model_is_played_by_the_person_in_the_inbox(name: str, tmp_path: Path) -> None:
    async with asked(named(name), tmp_path) as person:
        await choose(person, "trigger-sampling-request")
        await person.sees("prompt *")
        await person.types("hi there", "ctrl+j", shows=("asks in trigger-sampling-request", "! here"))
        await person.press("5", shows=("1 waiting", "Waiting", "sampling", "hi there"))
        await person.press("enter")
        await person.sees("text *", "Answer", "You are a helpful test server.", "written by hand", "Decline ^d")
        await person.types("Aye", "ctrl+j", shows=("0 waiting", "Answered", "by  person"))
        await person.press("escape", "2", shows=("✓ OK", "written by hand", '"text": "Aye"'))
        params, answer = asked_by_request(person, "sampling/createMessage")
    assert params["maxTokens"] == 100
    assert answer["result"] == {
        "role": "assistant",
        "content": {"type": "text", "text": "Aye"},
        "model": "written by hand",
        "stopReason": "endTurn",
    }


@pytest.mark.parametrize("name", ["everything-stdio", "everything-http"])
async def test_roots_are_listed_edited_and_the_server_looks_again(name: str, tmp_path: Path) -> None:
    async with asked(named(name), tmp_path) as person:
        await call(person, "get-roots-list")
        await person.sees("✓ OK", tmp_path.as_uri()[:40])  # a long one goes on in the next line
        assert asked_by_request(person, "roots/list")[1]["result"] == {
            "roots": [{"uri": tmp_path.as_uri(), "name": "here"}]
        }
        await person.press("escape", "escape", "5", shows=("1 root  x R", "by  list of roots"))
        await person.press("x", "R", shows=("Paths or file:// URIs of directories", "List these roots"))
        await person.press("ctrl+u")
        await person.types("/somewhere", shows="✓ Valid")
        await person.press("ctrl+j", shows="1 root from the next request")
        await until(lambda: person.wire().sent("notifications/roots/list_changed"), "Roots returned")
        await until(lambda: _listed(person) == ["file:///somewhere"], "the server asks again")
        await person.press("escape", "2", "ctrl+j", shows="file:///somewhere")


def _listed(person: Person) -> list[str]:
    answer = asked_by_request(person, "roots/list")[1]
    return [root["uri"] for root in answer["result"]["roots"]] if answer else []


@pytest.mark.parametrize(("transport", "era"), PILOTS)
async def test_a_second_question_knows_the_answer_to_the_first(transport: str, era: Era, tmp_path: Path) -> None:
    async with asked(built("mcp2", "pilot.py", transport), tmp_path, era=era) as person:
        await choose(person, "moor")
        await person.sees("ship *")
        await person.types("Gull", "ctrl+j", shows="asks in moor: Which berth?")
        await person.press("exclamation_mark", shows=("Server request", "● south"))
        await person.press("left", shows="● north")
        await person.press("ctrl+j", shows="How much rope for the north quay?")
        if "Server request" not in person.screen:  # the dialog had gone before the second question came
            await person.press("exclamation_mark")
        await person.sees("Server request", "How much rope for the north quay?", "1 required")
        await person.types("12", shows="✓ Valid")
        await person.press("ctrl+j", shows=("✓ OK", "Gull lies at the north quay for 2 nights on 12 m of rope"))
        saw = person.wire()
        calls = saw.sent("tools/call")
        if era is Era.LEGACY:
            assert len(calls) == 1
            assert asked_by_request(person, "elicitation/create")[1]["result"] == {
                "action": "accept",
                "content": {"metres": 12},
            }
            return
        asking = results_that_ask(person)
    assert [each["params"].get("requestState") for each in calls] == [None, *(each["requestState"] for each in asking)]
    assert [list(each["params"].get("inputResponses", {})) for each in calls] == [
        [],
        *(list(each["inputRequests"]) for each in asking),
    ]
    assert len({each["id"] for each in calls}) == 3


@pytest.mark.parametrize(("package", "transport"), MATES)
@pytest.mark.slow
async def test_a_mate_is_answered_declined_and_left_without_an_answer(
    package: str, transport: str, tmp_path: Path
) -> None:
    async with asked(built(package, "mate.py", transport), tmp_path) as person:
        for turn, (keys, action, shown) in enumerate(
            (("ctrl+d", "decline", "decline"), ("ctrl+x", "cancel", "cancel"), ("ctrl+j", "accept", "'quay': 'south'")),
            1,
        ):
            await call(person, "ask")
            await until(partial(has_asked, person, "elicitation/create", turn), "it asks again")
            await person.sees("asks in ask: Which berth?", "5 Inbox ◆1")
            await person.press("exclamation_mark", shows=("Server request", "ship *", "Decline ^d"))
            if action == "accept":
                await person.types("Gull", shows="✓ Valid")
            await person.press(keys, shows=("✓ OK", shown))
            answer = asked_by_request(person, "elicitation/create")[1]
            assert answer["result"]["action"] == action
            assert ("content" in answer["result"]) == (action == "accept")
            await person.press("escape", "escape", "escape")
        await call(person, "advise")
        await person.sees("asks in advise: Is it safe to sail?")
        await person.press("exclamation_mark", shows=("You are a mate.", "text *", "Answer"))
        await person.press("ctrl+d", shows=("rror", "the user rejected the request"))
        assert asked_by_request(person, "sampling/createMessage")[1]["error"]["code"] == -1


@pytest.mark.parametrize(("package", "transport"), [("mcp1", "stdio"), ("mcp2", "http")])
@pytest.mark.slow
async def test_two_questions_at_once_are_answered_one_after_the_other(
    package: str, transport: str, tmp_path: Path
) -> None:
    async with asked(built(package, "mate.py", transport), tmp_path) as person:
        await call(person, "ask_twice")
        await person.sees("asks in ask_twice", "2 wait", "5 Inbox ◆2")
        await person.press("exclamation_mark", shows=("Which berth?", "ship *"))
        await person.types("Gull", "ctrl+j", shows=("How much rope?", "metres *"))
        await person.types("7", "ctrl+j", shows=("✓ OK", "'ship': 'Gull'", "{'metres': 7}"))
        assert len(person.wire().sent("tools/call")) == 1


@pytest.mark.parametrize(("package", "transport"), [("mcp2", "stdio"), ("mcp2", "http"), ("fastmcp", "http")])
@pytest.mark.slow
async def test_cancelled_server_request_leaves_its_reason_in_the_dialog(
    package: str, transport: str, tmp_path: Path
) -> None:
    async with asked(built(package, "mate.py", transport), tmp_path) as person:
        await call(person, "wait")
        await person.sees("mate asks in wait: Which berth?", "5 Inbox  ! here")
        await person.press("exclamation_mark", shows=("Server request", "ship *", "Respond ^j", "[Form] JSON ^o"))
        assert "mate asks" not in person.screen, "the line above the footer gives way to the dialog"
        (tmp_path / "called-off").touch()
        await person.sees("Withdrawn", "the server cancelled its request")
        assert asked_by_request(person, "elicitation/create")[1] is None
        await person.press("escape", shows=("the berth is gone", "✓ OK"))
        await person.press("escape", "escape", "5", shows=("0 waiting", "Withdrawn"))


@pytest.mark.slow
async def test_a_call_that_is_given_up_while_it_asks_takes_its_question_along(tmp_path: Path) -> None:
    async with asked(built("mcp2", "mate.py", "stdio"), tmp_path) as person:
        await call(person, "wait_for_ever")
        await person.sees("asks in wait_for_ever")
        await person.press("ctrl+c", shows="ancelled")
        await person.press("escape", "escape", "5", shows=("0 waiting", "Withdrawn"))


@pytest.mark.slow
async def test_an_answer_comes_too_late_for_a_call_that_has_timed_out(tmp_path: Path) -> None:
    # The connection and the question have to be there before: this clock is that of every request.
    clocks = Timeouts(total_s=8)
    async with asked(built("mcp1", "mate.py", "stdio"), tmp_path, clocks=clocks) as person:
        await call(person, "ask")
        await person.sees("Timed out", "asks in ask: Which berth?")
        await person.press("escape", "escape", "5")
        await person.sees("1 waiting", "Waiting", "call", "cancelled: the server may ignore the response")
        await person.press("enter")
        await person.types("Gull", shows="✓ Valid")
        await person.press("ctrl+j", shows=("0 waiting", "Accepted", "by  person"))
        assert asked_by_request(person, "elicitation/create")[1]["result"]["content"]["ship"] == "Gull"
        (called,) = [each for each in person.wire().exchanges if each.method == "tools/call"]
        assert called.state in (ExchangeState.CANCELLED, ExchangeState.LATE)
        await person.sees("● Connected")


@pytest.mark.parametrize(("package", "transport"), [("mcp2", "stdio"), ("mcp2", "http"), ("fastmcp", "http")])
async def test_all_that_one_result_asks_is_answered_by_one_retry(package: str, transport: str, tmp_path: Path) -> None:
    async with asked(built(package, "mate.py", transport), tmp_path, era=Era.MODERN) as person:
        await call(person, "survey")
        await person.sees("asks in survey", "2 wait")
        await person.press("9", shows=("asks in survey", "5 Inbox ◆2", "! here"))
        await person.press("exclamation_mark", shows=("Which berth?", "metres *"))
        await person.types("3", "ctrl+j", shows=("Is it safe to sail?", "text *", "Answer"))
        assert len(person.wire().sent("tools/call")) == 1
        await person.types("Aye", "ctrl+j")
        await until(lambda: len(person.wire().sent("tools/call")) == 2, "it is called again")
        await until(lambda: "Is it safe to sail?" not in person.screen, "the dialog is gone")
        await person.press("2", shows=("✓ OK", "2 rounds", "{'metres': 3}; Aye; file://", "mate's own words: ü/{}"))
        first, second = person.wire().sent("tools/call")
    assert second["id"] != first["id"]
    (asking,) = results_that_ask(person)
    assert second["params"]["requestState"] == asking["requestState"]
    assert {key: value.get("action") for key, value in second["params"]["inputResponses"].items()} == {
        "berth": "accept",
        "word": None,
        "roots": None,
    }
    assert "inputResponses" not in first["params"]


async def test_a_link_is_shown_whole_and_its_host_apart(tmp_path: Path) -> None:
    async with asked(built("mcp1", "mate.py", "stdio"), tmp_path) as person:
        await call(person, "link")
        await person.sees("asks in link: Please pay the toll.")
        await person.press("exclamation_mark")
        await person.sees("https://toll.example/pay?ship=Gull", "toll.example", "Open link x o", "Respond ^j")
        await person.press("ctrl+j", shows=("✓ OK", "accept"))
        params, answer = asked_by_request(person, "elicitation/create")
    assert params["elicitationId"] == "toll-1"
    assert answer["result"] == {"action": "accept"}
