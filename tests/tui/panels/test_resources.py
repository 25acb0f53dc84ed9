"""The resources' screen, driven by keys: what is on the screen and what the server was asked."""

import base64
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.tui.panels.resources import RESOURCES, ResourcesPanel
from inspector.tui.screens.picture import PictureScreen
from inspector.tui.screens.save import SaveScreen
from inspector.tui.subject import Stage
from tests.tui.panels.acting import Error
from tests.tui.panels.offering import Offering, Offers
from tests.tui.screen_text import text
from tests.waiting import until

WIDE = (160, 40)
NARROW = (80, 24)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x05\x00\x00\x00\x03"


def contents(*items: Any) -> Any:
    return lambda params: {"contents": list(items)}


async def shows(app: Offers, words: str) -> None:
    await until(lambda: words in text(app), f"{words!r} is on the screen:\n{text(app)}")


async def chosen(app: Offers, pilot: Pilot[None], label: str) -> None:
    """Move to a thing and wait for its form."""
    await until(lambda: app.panel.form.thing is not None, "a first form is there")
    for _ in range(12):
        thing = app.panel.side.chosen
        if thing is not None and label in (thing.title, thing.key):
            break
        await pilot.press("j")
    await until(
        lambda: app.panel.form.thing is not None and label in (app.panel.form.thing.title, app.panel.form.thing.key),
        f"{label} has its form",
    )
    await pilot.pause()


async def test_resources_and_templates_stand_in_one_list_and_hostile_names_are_only_text() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await shows(app, "4 resources, 2 templates")
        await shows(app, "b [/] ␛[31m")
        await shows(app, "▲ it has no uri")
        await shows(app, "{} Tides")
        await chosen(app, pilot, "x://b")
        await shows(app, "[bold]not bold[/]")


async def test_a_resource_is_read_and_every_content_is_shown() -> None:
    subject = Offering()
    blob = base64.b64encode(bytes(range(64))).decode()
    subject.given = contents(
        {"uri": "x://1", "mimeType": "text/x-python", "text": "# why\nx = 1"},
        {"uri": "x://2", "mimeType": "application/json", "text": '{"a": [1]}'},
        {"uri": "x://3", "blob": blob},
        {"uri": "x://4", "mimeType": "image/png", "blob": base64.b64encode(PNG).decode()},
        {"uri": "x://5", "blob": "not base64!"},
        7,
    )
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=(160, 80)) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "✗ Incomplete result")
        assert subject.wanted == [{"uri": "x://welcome"}]
        for words in ('"a": [', "00000000  00 01 02", "5 × 3", "its base64 can't be decoded", "a number where"):
            await shows(app, words)
        assert "History 1" in text(app)


async def test_a_content_is_shown_whole_and_saved() -> None:
    subject = Offering()
    subject.given = contents({"uri": "x://1", "text": "\n".join(f"line {n}" for n in range(700_000))})
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "✓ Succeeded")
        app.panel.go("result")
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")
        await pilot.press("enter")
        await shows(app, "line 20")
        await pilot.press("G")
        await shows(app, "line 699999")


async def test_saving_asks_for_a_path_and_never_replaces_unasked(tmp_path: Path) -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    there = tmp_path / "there.txt"
    there.write_text("mine")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "✓ Succeeded")
        await pilot.press("w")
        await until(lambda: isinstance(app.screen, SaveScreen), "a path is asked for")
        app.screen.query_one(Input).value = str(there)
        await pilot.press("enter")
        await shows(app, "It is there already")
        assert there.read_text() == "mine"
        await pilot.press("enter")
        await until(lambda: not isinstance(app.screen, SaveScreen), "it is saved")
        assert there.read_text() == "Hello."


async def test_a_picture_is_shown_by_a_key() -> None:
    subject = Offering()
    subject.given = contents({"uri": "x://4", "mimeType": "image/png", "blob": base64.b64encode(PNG).decode()})
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "press v to see it")
        await pilot.press("v")
        await until(lambda: isinstance(app.screen, PictureScreen), "the picture is shown")


async def test_a_template_is_filled_with_what_the_server_proposes_and_read() -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides")
        await pilot.press("enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await pilot.press("m")
        await shows(app, "▸ x://tides/m")
        await shows(app, "2 values")
        await pilot.press("ctrl+@", "ctrl+@")
        await shows(app, "▸ x://tides/tuesday")
        await pilot.press("ctrl+j")
        await shows(app, "✓ Succeeded")
        assert subject.wanted == [{"uri": "x://tides/tuesday"}]
        assert subject.asked[-1]["argument"] == {"name": "day", "value": "m"}
        assert subject.asked[-1]["ref"] == {"type": "ref/resource", "uri": "x://tides/{day}{?unit}"}


async def test_a_template_that_cannot_be_expanded_says_why_and_withholds_the_read() -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "broken")
        await shows(app, "can't be expanded: a brace in it is never closed")
        await pilot.press("ctrl+j")
        await shows(app, "Nothing was sent")
        assert subject.calls == []


async def test_a_refusal_has_its_own_headline() -> None:
    subject = Offering()
    subject.given = lambda params: Error(-32002, "no such resource")
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "✗ JSON-RPC error -32002")
        await shows(app, "no such resource")


async def test_a_recording_shows_its_reads_and_says_why_it_makes_none() -> None:
    subject = Offering()
    subject.tape.request(1, "resources/read", {"uri": "x://tides/sunday?unit=m"})
    subject.tape.answer(1, {"contents": [{"uri": "x://tides/sunday", "text": "of a sunday"}]})
    subject.can_act, subject.now_stage = False, Stage.RECORDED
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides")
        await shows(app, "of a sunday")
        await shows(app, "a recording: not read; r in the traffic resends")
        await pilot.press("ctrl+j")
        await shows(app, "Nothing was sent")
        assert subject.calls == []
        await pilot.press("h")
        await shows(app, "x://tides/sunday")


async def test_a_read_is_repeated_by_a_key() -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("ctrl+j")
        await shows(app, "History 1")
        await pilot.press("full_stop")
        await shows(app, "History 2")
        assert subject.wanted == [{"uri": "x://welcome"}] * 2


async def test_a_narrow_terminal_shows_one_step_at_a_time() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=NARROW) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("enter")
        await shows(app, "▸ Read")
        assert "4 resources" not in text(app)
        await pilot.press("ctrl+j")
        await shows(app, "Hello.")
        await pilot.press("escape")
        await shows(app, "▸ Read")
        await pilot.press("escape")
        await shows(app, "4 resources")


async def test_a_search_finds_by_type() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await shows(app, "4 resources")
        await pilot.press("/")
        await until(lambda: isinstance(app.focused, Input), "the search line has the focus")
        await pilot.press(*"csv")
        await shows(app, "1 of 6")


@pytest.mark.parametrize("uri", ["x://a", ""])
def test_what_is_sent_is_the_uri(uri: str) -> None:
    from inspector.protocol.things import Resource

    request = RESOURCES.request(Resource({"uri": uri}), {})
    assert request.params == {"uri": uri}
    assert bool(request.problem) is not bool(uri)
