"""The form of a thing, whatever its kind: what is kept, what is withheld, what is wanted."""

from collections.abc import Sequence

from inspector.present.spans import Span
from inspector.protocol.listed_items import ListedItem, Prompt
from inspector.tui.screens.items.form import ItemForm, ItemHead
from tests.settling import click
from tests.tui.screen_text import lines, press, shows, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def describe(thing: ListedItem, full: bool, found: Sequence[list[Span]]) -> list[list[Span]]:
    return [[("toggled" if full else thing.name, "text")]]


class Lamp(ItemForm):
    why = ""

    def __init__(self) -> None:
        super().__init__(ItemHead(describe), one="lamp", verb="Light")

    def schema(self, thing: ListedItem) -> object:
        return {"type": "object", "properties": {"oil": {"type": "string"}}, "required": ["oil"]}

    def withheld(self) -> str:
        return self.why


class Form(Showing):
    def __init__(self) -> None:
        self.lamp = Lamp()
        super().__init__(self.lamp)

    def on_item_form_call_wanted(self, event: ItemForm.CallWanted) -> None:
        self.posted.append(event)

    @property
    def wanted(self) -> list[object]:
        return [each.arguments for each in self.posted if isinstance(each, ItemForm.CallWanted)]


async def test_form_keeps_input_per_item() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.lamp.show(Prompt({"name": "red"}))
        await app.lamp.take({"oil": "whale"})
        await app.lamp.show(Prompt({"name": "green"}))
        await pilot.pause()
        assert "whale" not in text(app)
        await app.lamp.show(Prompt({"name": "red"}))
        await app.lamp.send()
        await pilot.pause()
        assert app.wanted == [{"oil": "whale"}]


async def test_withheld_form_sends_nothing() -> None:
    async with (app := Form()).run_test(size=(80, 20), notifications=True) as pilot:
        app.lamp.why = "no wick"
        await app.lamp.show(Prompt({"name": "red"}))
        await shows(app, "▲ no wick")
        await app.lamp.send()
        await app.lamp.send()
        await pilot.pause()
        assert app.wanted == []


async def test_form_button_and_toggle_have_labels() -> None:
    async with (app := Form()).run_test(size=(80, 20)):
        await app.lamp.show(None)
        await shows(app, "No lamp selected")
        await app.lamp.show(Prompt({"name": "red"}))
        app.lamp.toggle_about()
        await shows(app, "toggled", "[ Light")


async def test_reset_restores_the_defaults_and_can_be_undone() -> None:
    async with (app := Form()).run_test(size=(120, 20)) as pilot:
        await app.lamp.show(Prompt({"name": "red"}))
        await pilot.pause()
        assert "Reset" not in text(app)
        await app.lamp.take({"oil": "whale"})
        await until(lambda: "[ Reset ]" in text(app), "there is something to reset")
        line = next(at for at, each in enumerate(lines(app)) if "[ Reset ]" in each)
        await click(app, (lines(app)[line].index("Reset"), line))
        await until(lambda: "whale" not in text(app), "the field is empty again")
        await press(pilot, "ctrl+z", shows="whale")
