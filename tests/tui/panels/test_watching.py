"""Watching at the screen: what is told, what is sent, what is marked, and what has changed between two reads."""

import base64
from types import SimpleNamespace
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.protocol.tracking.subscriptions import Filter
from inspector.session.watching import Outcome
from inspector.tui.panels.resources import ResourcesPanel
from inspector.tui.panels.watching import WatchingPanel
from inspector.tui.screens.before_after import BeforeAfterScreen
from inspector.tui.subject import Stage
from tests.tui.panels.offering import Offering, Offers
from tests.tui.panels.test_resources import NARROW, WIDE, chosen, contents, shows
from tests.tui.screen_text import text
from tests.waiting import until

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
        return Outcome(Filter(uris=(uri,)))

    def update(self, uri: str = URI, times: int = 1) -> None:
        message = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
        for _ in range(times):
            self.tape.from_server(message)


async def read(app: Offers, pilot: Pilot[None], subject: Watched, words: str, answer: str) -> None:
    """Read the chosen resource, which says this now."""
    subject.given = contents({"uri": URI, "text": answer})
    await pilot.press("ctrl+j")
    await shows(app, words)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_key_watches_and_watches_no_longer(size: tuple[int, int]) -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=size, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        assert isinstance(app.query_one(ResourcesPanel), WatchingPanel)
        await pilot.press("s")
        await shows(app, "Watching x://welcome.")
        await shows(app, "● watched")
        await shows(app, "● watching x://welcome")
        await pilot.press("s")
        await shows(app, "No longer watching x://welcome.")
        await shows(app, "○ was watched")
        assert subject.asked_for == [("subscribe", URI), ("unsubscribe", URI)]


async def test_what_a_template_expands_to_is_watched() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Tides")
        await pilot.press("enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await pilot.press("m")
        await shows(app, "▸ x://tides/m")
        await pilot.press("escape", "s")
        await shows(app, "Watching x://tides/m.")
        assert subject.asked_for == [("subscribe", "x://tides/m")]


async def test_what_can_not_be_watched_is_told_and_nothing_is_sent() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "lost")
        await pilot.press("s")
        await shows(app, "It can't be watched: it has no uri.")
        subject.now_stage = Stage.CLOSED
        await pilot.press("s")
        await shows(app, "Nothing is sent: ")
        assert subject.asked_for == []


async def test_a_server_that_can_not_be_watched_is_not_asked() -> None:
    subject = Watched(capabilities={"resources": {}})
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("s")
        await shows(app, "lack resources.subscribe")
        assert subject.asked_for == []


@pytest.mark.parametrize(
    ("comes", "says"),
    [
        (
            Outcome(refused="the server answered with error -32601: no [b]such[/b] \x1b"),
            "was refused: the server answe",
        ),
        (Outcome(not_granted=Filter(uris=(URI,))), "The server did not grant watching x://welcome."),
        (Outcome(acknowledged=False), "The server has not acknowledged yet"),
    ],
)
async def test_what_comes_instead_is_told(comes: Outcome, says: str) -> None:
    subject = Watched()
    subject.comes = comes
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("s")
        await shows(app, says)
        assert "\x1b" not in text(app)


async def test_a_storm_of_updates_is_a_number_and_no_flood_of_toasts() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("s")
        await shows(app, "● watched")
        subject.update(times=2000)
        await shows(app, "◆ updated ×2,000")
        await shows(app, "updated 2,000 times")
        assert len(app._notifications) == 1


async def test_a_resource_that_was_read_again_is_compared_with_what_it_said_before() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await pilot.press("u")
        await shows(app, "There is no earlier read to compare with")
        await read(app, pilot, subject, "the old tide", "Saltmouth\nthe old tide\n")
        subject.update()
        await shows(app, "◆ updated")
        await read(app, pilot, subject, "the new tide", "Saltmouth\nthe new tide\n")
        await shows(app, "It has changed since the read before: u shows how.")
        await until(lambda: "◆ updated\n" not in text(app), "the mark is gone")
        await pilot.press("u")
        await until(lambda: isinstance(app.screen, BeforeAfterScreen), "the comparison is there")
        await shows(app, "- the [old] tide")
        assert "+ the [new] tide" in text(app)
        await pilot.press("u")
        await until(lambda: not isinstance(app.screen, BeforeAfterScreen), "it is gone")


async def test_an_update_without_a_change_is_told() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        await read(app, pilot, subject, "the tide", "the tide")
        subject.update()
        await shows(app, "◆ updated")
        await pilot.press("ctrl+j")
        await shows(app, "It is the same as at the read before.")


async def test_bytes_are_compared_by_size_and_hash() -> None:
    subject = Watched()
    app = Offers(ResourcesPanel(subject))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await chosen(app, pilot, "Welcome")
        for data, shown in ((b"one", "size  3 bytes"), (b"other", "size  5 bytes")):
            subject.given = contents({"uri": URI, "blob": base64.b64encode(data).decode()})
            await pilot.press("ctrl+j")
            await shows(app, shown)
        await shows(app, "It has changed")
        await pilot.press("u")
        await shows(app, "- before: 3 bytes, sha256 7692c3ad")
        assert "+ after: 5 bytes, sha256" in text(app)
