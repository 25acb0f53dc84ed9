"""The Resources screen: the list with its marks, reading, and subscriptions."""

import base64
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.protocol.tracking.subscriptions import StreamFilter
from inspector.session.subscriptions import Outcome
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.items.resources import RESOURCES, ResourcesPanel, WatchStatus
from inspector.tui.widgets.lines import BeforeAfterScreen
from inspector.tui.widgets.picture import PictureScreen
from inspector.tui.widgets.save import SaveScreen
from tests.protocol.tracking.test_subscriptions import ID
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import Error
from tests.tui.screens.offering import Offering, Offers
from tests.waiting import until

WIDE = (160, 40)
NARROW = (80, 24)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x05\x00\x00\x00\x03"


def contents(*items: Any) -> Any:
    return lambda params: {"contents": list(items)}


async def chosen(app: Offers, pilot: Pilot[None], label: str, *keys: str, shows: str | tuple[str, ...] = ()) -> None:
    """Move to an item and wait for its form; then press keys, and wait until this is on the screen."""
    await until(lambda: app.panel.form.item is not None, "a first form is there")
    for _ in range(12):
        item = app.panel.items.chosen
        if item is not None and label in (item.title, item.key):
            break
        await pilot.press("j")
    await until(
        lambda: app.panel.form.item is not None and label in (app.panel.form.item.title, app.panel.form.item.key),
        f"{label} has its form",
    )
    await press(pilot, *keys, shows=shows)
    await pilot.pause()


async def test_resources_and_templates_stand_in_one_list_and_hostile_names_are_only_text() -> None:
    async with (app := Offers(ResourcesPanel(Offering()))).run_test(size=WIDE, notifications=True) as pilot:
        await shows(app, "4 resources, 2 templates", "b [/] ␛[31m", "▲ it has no uri", "{} Tides")
        await chosen(app, pilot, "x://b", shows="[bold]not bold[/]")


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
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=(160, 80)) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows="✗ Incomplete result")
        assert subject.wanted == [{"uri": "x://welcome"}]
        for words in ('"a": [', "00000000  00 01 02", "5 × 3", "invalid base64: ", "a number instead of a block"):
            await shows(app, words)
        assert "History 1" in text(app)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_enter_on_a_resource_reads_and_shows_it(size: tuple[int, int]) -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=size) as pilot:
        await chosen(app, pilot, "Welcome", "enter", shows="Hello.")
        assert subject.wanted == [{"uri": "x://welcome"}]
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")


async def test_a_content_is_shown_whole_and_saved() -> None:
    subject = Offering()
    subject.given = contents({"uri": "x://1", "text": "\n".join(f"line {n}" for n in range(700_000))})
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows="✓ OK")
        app.panel.steps.go("result")
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")
        await press(pilot, "enter", shows="line 20")
        await press(pilot, "G", shows="line 699999")


async def test_saving_asks_for_a_path_and_never_replaces_unasked(tmp_path: Path) -> None:
    subject = Offering()
    app = Offers(ResourcesPanel(subject))
    there = tmp_path / "there.txt"
    there.write_text("mine")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows="✓ OK")
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, SaveScreen), "a path is asked for")
        app.screen.query_one(Input).value = str(there)
        await press(pilot, "enter", shows="File exists")
        assert there.read_text() == "mine"
        await pilot.press("enter")
        await until(lambda: not isinstance(app.screen, SaveScreen), "it is saved")
        assert there.read_text() == "Hello."


async def test_a_picture_is_shown_by_a_key() -> None:
    subject = Offering()
    subject.given = contents({"uri": "x://4", "mimeType": "image/png", "blob": base64.b64encode(PNG).decode()})
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows="v i shows it")
        await pilot.press("v i")
        await until(lambda: isinstance(app.screen, PictureScreen), "the picture is shown")


async def test_a_template_is_filled_with_what_the_server_proposes_and_read() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides", "enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await press(pilot, "m", shows="▸ x://tides/m")
        await until(lambda: bool(subject.asked) and subject.asked[-1]["argument"]["value"] == "m", "m is completed")
        await shows(app, "2 values")
        await press(pilot, "ctrl+@", "ctrl+@", shows="▸ x://tides/tuesday")
        await press(pilot, "ctrl+j", shows="✓ OK")
        assert subject.wanted == [{"uri": "x://tides/tuesday"}]
        assert subject.asked[-1]["argument"] == {"name": "day", "value": "m"}
        assert subject.asked[-1]["ref"] == {"type": "ref/resource", "uri": "x://tides/{day}{?unit}"}


async def test_invalid_template_withholds_the_read() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "broken", shows="cannot expand: a brace in it is never closed")
        await press(pilot, "ctrl+j", shows="Not sent")
        assert subject.calls == []


async def test_a_refusal_has_its_own_headline() -> None:
    subject = Offering()
    subject.given = lambda params: Error(-32002, "no such resource")
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows=("✗ JSON-RPC error -32002", "no such resource"))


async def test_recording_shows_its_reads_and_makes_none() -> None:
    subject = Offering()
    subject.tape.request(1, "resources/read", {"uri": "x://tides/sunday?unit=m"})
    subject.tape.answer(1, {"contents": [{"uri": "x://tides/sunday", "text": "of a sunday"}]})
    subject.can_act, subject.now_stage = False, ConversationStage.RECORDED
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides", shows=("of a sunday", "▲ captures are read-only; x r in Traffic resends"))
        await press(pilot, "ctrl+j", shows="Not sent")
        assert subject.calls == []
        await press(pilot, "v h", shows="x://tides/sunday")


async def test_a_read_is_repeated_by_a_key() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "ctrl+j", shows="History 1")
        await press(pilot, "x r", shows="History 2")
        assert subject.wanted == [{"uri": "x://welcome"}] * 2


async def test_a_search_finds_by_type() -> None:
    async with (app := Offers(ResourcesPanel(Offering()))).run_test(size=WIDE, notifications=True) as pilot:
        await shows(app, "4 resources")
        await pilot.press("/")
        await until(lambda: isinstance(app.focused, Input), "the search line has the focus")
        await press(pilot, *"csv", shows="1 of 6")


@pytest.mark.parametrize("uri", ["x://a", ""])
def test_read_request_has_the_uri(uri: str) -> None:
    from inspector.protocol.listed_items import Resource

    request = RESOURCES.request(Resource({"uri": uri}), {})
    assert request.params == {"uri": uri}
    assert bool(request.problem) is not bool(uri)


ASKED = {"toolsListChanged": True, "resourceSubscriptions": ["x://welcome", "x://tides/m"]}


def streamed(granted: dict[str, object]) -> Offering:
    """A subject whose server has acknowledged a stream."""
    subject = Offering()
    subject.tape.request(7, "subscriptions/listen", {"notifications": ASKED})
    tell(subject, "subscriptions/acknowledged", notifications=granted)
    return subject


def tell(subject: Offering, what: str, **params: object) -> None:
    params["_meta"] = {ID: 7}
    subject.tape.from_server({"jsonrpc": "2.0", "method": f"notifications/{what}", "params": params})


async def test_granted_and_refused_watches_are_shown() -> None:
    app = Offers(ResourcesPanel(streamed({"resourceSubscriptions": ["x://welcome"]})))
    async with app.run_test(size=WIDE, notifications=True):
        await shows(app, "● subscribed to x://welcome")
        assert app.query_one(WatchStatus).display
        await shows(app, "▲ not granted: list of tools,", "▲ Not granted")


async def test_recording_shows_marks_of_its_end() -> None:
    subject = streamed(ASKED)
    tell(subject, "resources/updated", uri="x://welcome")
    subject.tape.to_server({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    subject.can_act = False
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True):
        await shows(app, "○ ended: list of tools,", "once, 1 since it was read")
        assert "◆ updated" in next(line for line in text(app).splitlines() if "▌ Welcome" in line)


async def test_watch_status_is_hidden_without_watching() -> None:
    async with (app := Offers(ResourcesPanel(Offering()))).run_test(size=WIDE, notifications=True):
        await shows(app, "4 resources, 2 templates")
        assert "watch" not in text(app).replace("Watch", "")


CAN = {"resources": {"subscribe": True}}
URI = "x://welcome"


class Watched(Offering):
    """A server of the handshake era that can be watched; `comes` is what comes of wanting to."""

    def __init__(self, capabilities: Any = CAN) -> None:
        super().__init__(capabilities=capabilities)
        self.comes: Outcome | None = None
        self.asked_for: list[tuple[str, str]] = []

    async def perform(self, work: Any) -> Any:
        return await work(SimpleNamespace(watching=self))

    async def watch(self, uri: str) -> Outcome:
        return self._ask("resources/subscribe", uri)

    async def unwatch(self, uri: str) -> Outcome:
        return self._ask("resources/unsubscribe", uri)

    def _ask(self, method: str, uri: str) -> Outcome:
        self.asked_for.append((method.rpartition("/")[2], uri))
        if self.comes is not None:
            return self.comes
        self._id += 1
        self.tape.request(self._id, method, {"uri": uri})
        self.tape.answer(self._id, {})
        return Outcome(StreamFilter(uris=(uri,)))

    def update(self, uri: str = URI, times: int = 1) -> None:
        message = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
        for _ in range(times):
            self.tape.from_server(message)


async def read(app: Offers, pilot: Pilot[None], subject: Watched, words: str, answer: str) -> None:
    """Read the chosen resource, which says this now."""
    subject.given = contents({"uri": URI, "text": answer})
    await press(pilot, "ctrl+j", shows=words)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_key_watches_and_watches_no_longer(size: tuple[int, int]) -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=size, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await press(pilot, "x f", shows=("Subscribed to x://welcome.", "● Subscribed", "● subscribed to x://welcome"))
        await press(pilot, "x f", shows=("Unsubscribed from x://welcome.", "○ No longer subscribed"))
        assert subject.asked_for == [("subscribe", URI), ("unsubscribe", URI)]


async def test_expanded_template_can_be_watched() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides", "enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await press(pilot, "m", shows="▸ x://tides/m")
        await press(pilot, "escape", "x f", shows="Subscribed to x://tides/m.")
        assert subject.asked_for == [("subscribe", "x://tides/m")]


async def test_unwatchable_resource_sends_nothing() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "lost", "x f", shows="Cannot subscribe: no URI.")
        subject.now_stage = ConversationStage.CLOSED
        await press(pilot, "x f", shows="Cannot subscribe: ")
        assert subject.asked_for == []


async def test_watch_without_server_support_sends_nothing() -> None:
    subject = Watched(capabilities={"resources": {}})
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "x f", shows="not declare resources.subscribe")
        assert subject.asked_for == []


@pytest.mark.parametrize(
    ("comes", "says"),
    [
        (
            Outcome(refused="the server returned error -32601: no [b]such[/b] \x1b"),
            "Subscribing to x://welcome failed: the server returned",
        ),
        (Outcome(not_granted=StreamFilter(uris=(URI,))), "The server did not grant the subscription to x://welcome."),
        (Outcome(acknowledged=False), "Subscription to x://welcome is not acknowledged yet."),
    ],
)
async def test_failed_watch_is_reported(comes: Outcome, says: str) -> None:
    subject = Watched()
    subject.comes = comes
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "x f", shows=says)
        assert "\x1b" not in text(app)


async def test_a_storm_of_updates_is_a_number_and_no_flood_of_toasts() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "x f", shows="● Subscribed")
        subject.update(times=2000)
        await shows(app, "◆ updated ×2,000", "updated 2,000 times")
        assert len(app._notifications) == 1


async def test_repeated_read_can_be_compared() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome", "v d", shows="No earlier read to compare with")
        await read(app, pilot, subject, "the old tide", "Saltmouth\nthe old tide\n")
        subject.update()
        await shows(app, "◆ updated")
        await read(app, pilot, subject, "the new tide", "Saltmouth\nthe new tide\n")
        await shows(app, "Changed since the previous read: v d shows the diff.")
        await until(lambda: "◆ updated\n" not in text(app), "the mark is gone")
        await pilot.press("v d")
        await until(lambda: isinstance(app.screen, BeforeAfterScreen), "the comparison is there")
        await shows(app, "- the [old] tide", "+ the [new] tide")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, BeforeAfterScreen), "it is gone")


async def test_update_without_change_is_reported() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await read(app, pilot, subject, "the tide", "the tide")
        subject.update()
        await shows(app, "◆ updated")
        await press(pilot, "ctrl+j", shows="Unchanged since the previous read.")


async def test_bytes_are_compared_by_size_and_hash() -> None:
    async with (app := Offers(ResourcesPanel(subject := Watched()))).run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        for data, shown in ((b"one", "size  3 bytes"), (b"other", "size  5 bytes")):
            subject.given = contents({"uri": URI, "blob": base64.b64encode(data).decode()})
            await press(pilot, "ctrl+j", shows=shown)
        await shows(app, "Changed since")
        await press(pilot, "v d", shows=("- before: 3 bytes, sha256 7692c3ad", "+ after: 5 bytes, sha256"))


async def test_resource_without_fields_has_no_json_to_switch_to() -> None:
    app = Offers(ResourcesPanel(Offering()))
    async with app.run_test(size=WIDE) as pilot:
        await chosen(app, pilot, "x://b")
        before = app.focused
        await pilot.press("ctrl+o")
        assert app.focused is before
        assert not app.panel.form.form.as_json
        assert not app.panel.check_action("do", ("reset",))
        await chosen(app, pilot, "Tides")
        assert app.panel.check_action("do", ("json",))
