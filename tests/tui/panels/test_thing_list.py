"""A list of things, whatever their kind: what it means, and what it says when it is empty."""

from collections.abc import Sequence

from inspector.protocol.things import Prompt
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.panels.thing_list import ListWords, ThingSide
from inspector.viewmodels.offers import Offer, OfferList
from inspector.viewmodels.prompts import prompt_offers
from tests.tui.panels.acting import Acting
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Lamps(ThingSide):
    kinds = ("prompts", "tools")

    def __init__(self, subject: Acting) -> None:
        super().__init__(subject, OfferList(("lamp", "", "")), ListWords("lamp", "lamps", "name"))

    def read(self, listings: Sequence[Listing]) -> Sequence[Offer]:
        return prompt_offers([Prompt(raw) for listing in listings for raw in listing.items])

    def summary(self, things: Sequence[Offer]) -> tuple[str, str]:
        return f"{len(things)} lamps", ", lit"


class Side(Showing):
    def __init__(self, subject: Acting) -> None:
        self.side = Lamps(subject)
        super().__init__(self.side)

    def on_mount(self) -> None:
        self.set_interval(1 / 60, lambda: self.side.sync() if self.side.is_ready else None)

    def on_thing_side_chosen(self, event: ThingSide.Chosen) -> None:
        self.posted.append(event)

    @property
    def meant(self) -> list[str]:
        chosen = [each for each in self.posted if isinstance(each, ThingSide.Chosen)]
        return [each.thing.name if each.thing else "" for each in chosen]


async def test_several_lists_are_shown_as_one_and_the_first_thing_is_meant() -> None:
    subject = Acting()
    app = Side(subject)
    async with app.run_test(size=(60, 12)):
        await until(lambda: "The lamps were never listed" in text(app), "nobody asked")
        subject.list([{"name": "red"}, {"name": "green"}])
        await until(lambda: "2 lamps, lit" in text(app), "they are counted")
        await until(lambda: app.meant[-1:] == ["red"], "the first is meant")


async def test_a_list_that_can_not_be_had_says_why() -> None:
    subject = Acting()
    subject.stopped = lambda kind: "its response can't be read" if kind == "prompts" else ""  # type: ignore[method-assign]
    app = Side(subject)
    async with app.run_test(size=(60, 12)):
        await until(lambda: "The lamps can't be listed" in text(app), "it says so")
        assert "its response can't be read" in text(app)


async def test_a_server_that_declares_no_such_things_is_said_to() -> None:
    subject = Acting()
    subject.tape.initialized("2025-06-18", capabilities={"resources": {}})
    app = Side(subject)
    async with app.run_test(size=(60, 12)):
        await until(lambda: "The server declares no lamps" in text(app), "it says so")


async def test_things_without_a_key_do_not_confuse_the_cursor() -> None:
    subject = Acting([{"name": "red"}, 7, {}])
    app = Side(subject)
    async with app.run_test(size=(60, 12)) as pilot:
        await until(lambda: app.meant[-1:] == ["red"], "the first is meant")
        app.side.focus_list()
        await pilot.press("G")
        await until(lambda: app.meant[-1:] == [""], "the last is meant")
        assert app.side.chosen is not None
        assert app.side.chosen.raw == {}
