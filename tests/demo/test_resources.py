"""What can be read at the lighthouse."""

import base64
import json

import pytest

from inspector.demo import resources
from inspector.demo.station import SHIPS, Station


@pytest.mark.parametrize("item", resources.listed(), ids=lambda item: str(item["name"]))
def test_what_is_listed_can_be_read_and_is_what_the_list_says(item: dict[str, object]) -> None:
    contents = resources.read(str(item["uri"]), Station())
    assert contents is not None
    assert contents[0]["uri"] == item["uri"]
    assert contents[0]["mimeType"] == item["mimeType"]
    if "size" in item:
        assert len(contents[0]["text"].encode()) == item["size"]


def test_the_chart_is_a_picture_and_the_tides_are_json() -> None:
    station = Station()
    chart, tides = (resources.read(f"lighthouse://{name}", station) for name in ("chart.png", "tides"))
    assert chart
    assert base64.b64decode(chart[0]["blob"]).startswith(b"\x89PNG")
    assert tides
    assert len(json.loads(tides[0]["text"])["metres"]) == 24


@pytest.mark.parametrize("name", SHIPS)
def test_each_ship_is_found_by_its_template(name: str) -> None:
    encoded = name.replace(" ", "%20").replace("ø", "%C3%B8").replace("Ø", "%C3%98")
    contents = resources.read(f"lighthouse://ships/{encoded}", Station())
    assert contents
    assert json.loads(contents[0]["text"])["name"] == name


def test_tides_come_in_two_units() -> None:
    metres = resources.read("lighthouse://tides/monday", Station())
    fathoms = resources.read("lighthouse://tides/monday?unit=fathoms", Station())
    assert metres
    assert fathoms
    assert metres[0]["text"].startswith("monday,metres\n")
    assert fathoms[0]["text"].startswith("monday,fathoms\n")


@pytest.mark.parametrize("uri", ["", "lighthouse://", "lighthouse://ships/Flying%20Dutchman", "file:///etc/passwd"])
def test_what_is_not_there_is_not_there(uri: str) -> None:
    assert resources.read(uri, Station()) is None
