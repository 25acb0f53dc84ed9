"""The prompts' screen, driven by keys."""

from typing import Any

from inspector.tui.screens.items.prompts import PromptsPanel
from tests.tui.screen_text import press, shows
from tests.tui.screens.acting import Error
from tests.tui.screens.offering import Offering, Offers
from tests.waiting import until

SIZE = (160, 40)
PIECES: list[Any] = [
    {"type": "text", "text": "Ahoy [bold]\x1b[31m"},
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "audio", "data": "no base64!", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "x://log", "text": "# Log\n\n- a\n- b"}},
    {"type": "resource_link", "uri": "x://chart", "name": "chart"},
    {"type": "smell", "of": "kelp"},
]


def messages(params: Any) -> Any:
    return {"description": "A hail", "messages": [{"role": "user", "content": piece} for piece in PIECES]}


async def test_a_prompt_is_filled_and_its_messages_of_every_kind_are_shown() -> None:
    subject = Offering()
    subject.given = messages
    async with (app := Offers(PromptsPanel(subject))).run_test(size=(160, 60)) as pilot:
        await until(lambda: app.panel.form.item is not None, "a prompt is chosen")
        await pilot.press("enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await press(pilot, *"auk", "ctrl+j", shows="✗ Incomplete result")
        assert subject.wanted == [{"name": "hail", "arguments": {"ship": "auk"}}]
        for words in (
            "1/6 user",
            "Ahoy [bold]␛[31m",
            "image/png",
            "invalid base64",
            "x://log",
            "x://chart",
            "unknown block 'smell'",
            "A hail",
        ):
            await shows(app, words)


async def test_required_argument_is_demanded_before_sending_anyway() -> None:
    subject = Offering()
    subject.given = lambda params: Error(-32602, "ship is missing")
    async with (app := Offers(PromptsPanel(subject))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a prompt is chosen")
        await until(lambda: app.panel.items.has_focus_within, "the first focus has settled")
        await shows(app, "ship *")
        await until(lambda: app.panel.form.form.state.verdict is not None, "the empty form is judged")
        await press(pilot, "ctrl+j", shows="Get anyway (1 error)")
        assert subject.wanted == []
        await until(lambda: app.panel.form.has_focus_within, "the wrong field is focused")
        await press(pilot, "ctrl+j", shows="ship is missing")
        assert subject.wanted == [{"name": "hail"}]


async def test_a_wrong_form_is_shown_before_it_can_be_sent_from_the_list_on_a_narrow_screen() -> None:
    async with (app := Offers(PromptsPanel(subject := Offering()))).run_test(size=(80, 24)) as pilot:
        await until(lambda: app.panel.items.has_focus_within, "the first focus has settled")
        await until(lambda: app.panel.form.form.state.verdict is not None, "the empty form is judged")
        await press(
            pilot, "ctrl+j", shows="Get anyway (1 error)"
        )  # the values of a completion may cover the field's own
        assert subject.wanted == []


async def test_messages_are_copied_as_json_and_as_markdown() -> None:
    subject = Offering()
    subject.given = messages
    async with (app := Offers(PromptsPanel(subject))).run_test(size=SIZE, notifications=True) as pilot:
        await until(lambda: app.panel.form.item is not None, "a prompt is chosen")
        await press(pilot, "x j", shows="No messages to copy yet")
        await app.panel.form.take({"ship": "auk"})
        await app.panel.form.send()
        await shows(app, "✗ Incomplete result")
        app.panel.steps.go("result")
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")
        await pilot.press("x j")
        await until(lambda: '"messages": [' in app.clipboard, "the JSON is copied")
        await pilot.press("x k")
        await until(
            lambda: app.clipboard.startswith("# A hail\n\n## user\n\nAhoy [bold][31m"), "the Markdown is copied"
        )


async def test_arguments_of_an_earlier_answer_are_taken_back() -> None:
    subject = Offering()
    subject.given = messages
    async with (app := Offers(PromptsPanel(subject))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a prompt is chosen")
        await app.panel.form.take({"ship": "auk"})
        await app.panel.form.send()
        await shows(app, "✗ Incomplete result")
        await app.panel.form.take({"ship": "tern"})
        app.panel.steps.go("result")
        await until(lambda: app.panel.result.has_focus_within, "the result has the focus")
        await pilot.press("x e")
        await until(lambda: app.panel.form.form.arguments == {"ship": "auk"}, "they are in the form again")
