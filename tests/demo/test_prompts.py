"""The demo's prompts and completions."""

from typing import Any

import pytest

from inspector.demo import prompts
from inspector.demo.call import INVALID_PARAMS, Refusal
from inspector.demo.station import Station
from tests.demo.driving import Here, stateless

HAIL = {"type": "ref/prompt", "name": "hail_ship"}
SHIP = {"type": "ref/resource", "uri": "lighthouse://ships/{name}"}


def test_every_listed_prompt_can_be_got() -> None:
    for item in prompts.listed():
        needed = {argument["name"]: "x" for argument in item.get("arguments", []) if argument["required"]}
        assert prompts.get(item["name"], needed, Station())["messages"]


async def test_a_prompt_is_filled_in_with_its_arguments() -> None:
    wish = {"ship": "Bold Limpet", "mood": "salty"}
    answer = await Here().ask(stateless(1, "prompts/get", name="hail_ship", arguments=wish))
    (message,) = answer["result"]["messages"]
    assert message["role"] == "user"
    assert "salty" in message["content"]["text"]
    assert "Bold Limpet" in message["content"]["text"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("kraken", {}), ("hail_ship", {}), ("explain_chart", {"hours": "-1"}), ("explain_chart", {"hours": "²"})],
)
def test_a_prompt_that_cannot_be_made_is_refused(name: str, arguments: dict[str, str]) -> None:
    with pytest.raises(Refusal) as refused:
        prompts.get(name, arguments, Station())
    assert refused.value.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("ref", "argument", "so_far", "values"),
    [
        (HAIL, "mood", "", ["cheerful", "formal", "gloomy", "salty"]),
        (HAIL, "mood", "S", ["salty"]),
        (HAIL, "ship", "lady", ["Lady Ottilie"]),
        (SHIP, "name", "bo", ["Bold Limpet"]),
        (HAIL, "mood", "z", []),
    ],
)
async def test_arguments_are_completed(ref: dict[str, Any], argument: str, so_far: str, values: list[str]) -> None:
    wish = {"ref": ref, "argument": {"name": argument, "value": so_far}}
    answer = await Here().ask(stateless(1, "completion/complete", **wish))
    assert answer["result"]["completion"] == {"values": values, "total": len(values), "hasMore": False}


@pytest.mark.parametrize(("ref", "argument"), [(HAIL, "gull"), ({}, "mood"), ({"type": "ref/prompt"}, "mood")])
def test_what_cannot_be_completed_is_refused(ref: dict[str, Any], argument: str) -> None:
    with pytest.raises(Refusal):
        prompts.complete(ref, argument, "")
