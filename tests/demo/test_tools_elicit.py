"""The demo's tools that ask, each in both eras."""

from typing import Any

import jsonschema
import pytest

from inspector.demo.call import URL_REQUIRED
from inspector.demo.tools_elicit import LISTED
from tests.demo.driving import Here, meta, opening, request, stateless

_CAN: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
_ACCEPT = {"action": "accept", "content": {"name": "Agnes"}}


class _Both:
    """A client that answers what it is asked, in one era or the other."""

    def __init__(self, modern: bool) -> None:
        self.here = Here()
        self.modern = modern
        self.asked: list[Any] = []
        """Method and params of each question."""
        self.states: list[str] = []

    async def call(self, name: str, *results: Any, **arguments: Any) -> Any:
        """Call a tool, and answer its questions with these results in their order; what came of it."""
        if not self.modern:
            if self.here.server.link.era is None:
                await self.here.send(opening(**_CAN))
            message = request(1, "tools/call", name=name, arguments=arguments)
            self.asked += await self.here.converse(message, *({"result": each} for each in results))
            return self.here.sent[-1]
        left, more = list(results), dict[str, Any]()
        while True:
            carried = {"_meta": meta(clientCapabilities=_CAN), "arguments": arguments, "name": name}
            answer = await self.here.ask(stateless(1, "tools/call", **carried, **more))
            if answer.get("result", {}).get("resultType") != "input_required":
                assert not left
                return answer
            questions = answer["result"].get("inputRequests", {})
            self.asked += questions.values()
            self.states.append(answer["result"]["requestState"])
            more = {"requestState": self.states[-1], "inputResponses": {key: left.pop(0) for key in questions}}


@pytest.fixture(params=[False, True], ids=["handshake", "stateless"])
def both(request: pytest.FixtureRequest) -> _Both:
    return _Both(request.param)


def _said(answer: Any) -> str:
    return str(answer["result"]["content"][0]["text"])


async def test_elicit_form_requests_a_name_with_valid_defaults(both: _Both) -> None:
    assert _said(await both.call("elicit_form", _ACCEPT)) == "Agnes keeps the light."
    (question,) = both.asked
    assert question["method"] == "elicitation/create"
    assert question["params"]["mode"] == "form"
    schema = question["params"]["requestedSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    defaults = {name: field["default"] for name, field in schema["properties"].items() if "default" in field}
    jsonschema.validate(defaults, schema)


async def test_an_answer_that_does_not_fit_the_form_is_named_field_by_field(both: _Both) -> None:
    answer = await both.call("elicit_form", {"action": "accept", "content": {"name": "", "years": 99}})
    assert answer["result"]["isError"]
    assert "name: must have at least 1 characters\n- years: must be at most 60" in _said(answer)


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_declined_elicitation_is_reported(both: _Both, action: str) -> None:
    assert _said(await both.call("elicit_form", {"action": action})) == "Declined."


async def test_elicitations_can_be_requested_in_parallel(both: _Both) -> None:
    answer = await both.call("elicit_form", *([_ACCEPT] * 3), copies=3)
    assert _said(answer).count("Agnes") == 3
    assert len({question["params"]["message"] for question in both.asked}) == 3


@pytest.mark.parametrize(("form", "field"), [("secret", "password"), ("nested", "ship")])
async def test_a_form_may_ask_for_what_it_must_not(both: _Both, form: str, field: str) -> None:
    await both.call("elicit_form", _ACCEPT, form=form)
    assert field in both.asked[0]["params"]["requestedSchema"]["properties"]


async def test_an_older_revision_gets_the_form_it_knows() -> None:
    here = Here()
    await here.send(opening("2025-06-18", elicitation={}))
    (asked,) = await here.converse(request(1, "tools/call", name="elicit_form"), {"result": _ACCEPT})
    assert "mode" not in asked["params"]
    fields = asked["params"]["requestedSchema"]["properties"].values()
    assert not [field for field in fields if field["type"] == "array" or "oneOf" in field]
    assert [field["type"] for field in fields if "default" in field] == ["boolean"]


async def test_a_question_without_an_answer_is_taken_back_in_the_end() -> None:
    here = Here()
    await here.send(opening(**_CAN))
    answer = await here.ask(request(1, "tools/call", name="elicit_form", arguments={"patience_s": 0.01}))
    assert answer["result"]["isError"]
    ((method, _),) = here.notifications
    assert method == "notifications/cancelled"


async def test_supper_takes_two_questions_and_the_second_knows_the_first_answer(both: _Both) -> None:
    dish, guests = {"action": "accept", "content": {"dish": "soup"}}, {"action": "accept", "content": {"guests": 4}}
    assert _said(await both.call("elicit_steps", dish, guests, simmer=2)) == "Soup for 4."
    assert both.asked[1]["params"]["message"] == "How many will eat the soup?"
    assert len(both.states) == (4 if both.modern else 0)
    assert len(set(both.states)) == len(both.states)


async def test_without_an_answer_there_is_no_supper(both: _Both) -> None:
    assert _said(await both.call("elicit_steps", {"action": "cancel"})).startswith("Declined: no supper")


async def test_url_elicitation_completes_where_the_revision_has_it(both: _Both) -> None:
    assert "your page" in _said(await both.call("elicit_url", {"action": "accept"}))
    (question,) = both.asked
    assert question["params"]["url"].startswith("https://")
    assert ("elicitationId" in question["params"]) is not both.modern
    assert len(both.here.notifications) == (0 if both.modern else 1)
    assert _said(await both.call("elicit_url", {"action": "decline"})).startswith("Declined: the book")


async def test_url_elicitation_can_be_requested_by_an_error(both: _Both) -> None:
    if both.modern:
        assert "your page" in _said(await both.call("elicit_url", {"action": "accept"}, how="error"))
        return
    error = (await both.call("elicit_url", how="error"))["error"]
    assert error["code"] == URL_REQUIRED
    (elicitation,) = error["data"]["elicitations"]
    assert "Welcome" in _said(await both.call("elicit_url", how="error"))
    assert both.here.notifications == [
        ("notifications/elicitation/complete", {"elicitationId": elicitation["elicitationId"]})
    ]


def _says(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "model": "gull", "content": list(content) if len(content) > 1 else content[0]}


_WORDS = {"type": "text", "text": "Herring."}


def _looks_up(hour: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"use {hour}", "name": "tide_at", "input": {"hour": hour}}


async def test_the_sage_is_quoted(both: _Both) -> None:
    assert (
        _said(await both.call("sampling_request", _says(_WORDS), question="Fish?"))
        == "The model (gull) responded: Herring."
    )
    params = both.asked[0]["params"]
    assert params["messages"] == [{"role": "user", "content": {"type": "text", "text": "Fish?"}}]
    assert "tools" not in params
    assert params["systemPrompt"]


async def test_sampling_with_tools_repeats_until_an_answer(both: _Both) -> None:
    uses = _says(_looks_up(3), _looks_up("late"))
    assert "Herring" in _said(await both.call("sampling_request", uses, _says(_WORDS), with_tools=True))
    assert both.asked[0]["params"]["tools"][0]["name"] == "tide_at"
    used, told = both.asked[1]["params"]["messages"][1:]
    assert used["content"] == uses["content"]
    assert [(block["toolUseId"], block["isError"]) for block in told["content"]] == [
        ("use 3", False),
        ("use late", True),
    ]


async def test_a_sage_that_only_looks_is_left_in_the_end(both: _Both) -> None:
    answer = await both.call("sampling_request", *([_says(_looks_up(1))] * 4), with_tools=True)
    assert answer["result"]["isError"]


async def test_roots_are_listed(both: _Both) -> None:
    roots = [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b"}]
    answer = await both.call("roots_request", {"roots": roots})
    assert _said(answer) == "2 roots\n- a: file:///a\n- (no name): file:///b"
    assert answer["result"]["structuredContent"] == {"roots": roots}
    assert (await both.call("roots_request", {"roots": None}))["result"]["isError"]


def test_eliciting_tools_declare_their_needs() -> None:
    assert all(tool.needs is not None and tool.needs({}) for tool in LISTED)
