"""The demo's prompts and completions."""

import base64
import json
from typing import Any

import pytest

from inspector.demo import resources as prompts
from inspector.demo.call import INVALID_PARAMS, DemoError
from inspector.demo.state import SHIPS, DemoState
from tests.demo.driving import Here, stateless

HAIL = {"type": "ref/prompt", "name": "hail_ship"}
SHIP = {"type": "ref/resource", "uri": "lighthouse://ships/{name}"}


def test_every_listed_prompt_can_be_got() -> None:
    for item in prompts.listed_prompts():
        needed = {argument["name"]: "x" for argument in item.get("arguments", []) if argument["required"]}
        assert prompts.get(item["name"], needed, DemoState())["messages"]


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
    with pytest.raises(DemoError) as refused:
        prompts.get(name, arguments, DemoState())
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
def test_impossible_completion_is_refused(ref: dict[str, Any], argument: str) -> None:
    with pytest.raises(DemoError):
        prompts.complete(ref, argument, "")


@pytest.mark.parametrize("item", prompts.listed(), ids=lambda item: str(item["name"]))
def test_listed_resource_can_be_read_as_described(item: dict[str, object]) -> None:
    contents = prompts.read(str(item["uri"]), DemoState())
    assert contents is not None
    assert contents[0]["uri"] == item["uri"]
    assert contents[0]["mimeType"] == item["mimeType"]
    if "size" in item:
        assert len(contents[0]["text"].encode()) == item["size"]


def test_the_chart_is_a_picture_and_the_tides_are_json() -> None:
    station = DemoState()
    chart, tides = (prompts.read(f"lighthouse://{name}", station) for name in ("chart.png", "tides"))
    assert chart
    assert base64.b64decode(chart[0]["blob"]).startswith(b"\x89PNG")
    assert tides
    assert len(json.loads(tides[0]["text"])["metres"]) == 24


@pytest.mark.parametrize("name", SHIPS)
def test_each_ship_is_found_by_its_template(name: str) -> None:
    encoded = name.replace(" ", "%20").replace("ø", "%C3%B8").replace("Ø", "%C3%98")
    contents = prompts.read(f"lighthouse://ships/{encoded}", DemoState())
    assert contents
    assert json.loads(contents[0]["text"])["name"] == name


def test_tides_come_in_two_units() -> None:
    metres = prompts.read("lighthouse://tides/monday", DemoState())
    fathoms = prompts.read("lighthouse://tides/monday?unit=fathoms", DemoState())
    assert metres
    assert fathoms
    assert metres[0]["text"].startswith("monday,metres\n")
    assert fathoms[0]["text"].startswith("monday,fathoms\n")


@pytest.mark.parametrize("uri", ["", "lighthouse://", "lighthouse://ships/Flying%20Dutchman", "file:///etc/passwd"])
def test_unknown_resource_is_none(uri: str) -> None:
    assert prompts.read(uri, DemoState()) is None
