"""Resources and Prompts: completion of arguments, and the form that builds a request."""

import asyncio
from typing import Any

import pytest
from textual.widgets import Input, Static

from inspector.errors import Disconnected
from inspector.protocol.flows.steps import Silent
from inspector.protocol.listed_items import ListedItem, Prompt, Resource, Template
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.items import offers
from inspector.tui.screens.items.list import ItemList
from inspector.tui.screens.items.model import ListedRows
from inspector.tui.screens.items.offers import Completions, CompletionWanted, OfferForm, OfferKind, PreparedRequest
from inspector.tui.screens.items.prompts import PROMPTS
from inspector.tui.screens.items.resources import RESOURCES, ResourcesPanel
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import Error
from tests.tui.screens.offering import Offering, Offers
from tests.tui.widgets.showing import Showing
from tests.waiting import until

REFERENCE = {"type": "ref/prompt", "name": "hail"}


def wanted(value: str, name: str = "ship", **others: str) -> CompletionWanted:
    return CompletionWanted(REFERENCE, name, value, others)


class Below(Showing):
    def __init__(self, subject: Offering) -> None:
        self.box = Completions(subject)
        super().__init__(self.box)

    def on_completions_taken(self, event: Completions.Taken) -> None:
        self.posted.append(event)


async def test_quick_typing_requests_the_last_completion_only() -> None:
    async with (app := Below(subject := Offering())).run_test(size=(60, 12)):
        for value in ("a", "au", "auk"):
            app.box.consider(wanted(value, mood="grim"))
        await shows(app, "2 values")
        assert subject.asked == [
            {"ref": REFERENCE, "argument": {"name": "ship", "value": "auk"}, "context": {"arguments": {"mood": "grim"}}}
        ]


class Beside(Showing):
    """A field, and the completions of its value in another place."""

    def __init__(self, subject: Offering, above: int) -> None:
        self.box = Completions(subject)
        self.line = Input(compact=True)
        super().__init__(*(Static(f"row {number}") for number in range(above)), self.line, Static("end"), self.box)


@pytest.mark.parametrize(("above", "is_below"), [(2, True), (10, False)])
async def test_completions_are_shown_at_their_field_above_it_where_there_is_no_space_below(
    above: int, is_below: bool
) -> None:
    async with (app := Beside(Offering(), above)).run_test(size=(60, 12)):
        app.line.focus()
        app.box.consider(wanted("a"))
        await until(lambda: "2 values" in text(app), "the values are shown")
        field, box = app.line.region, app.box.region
        assert box.y == field.bottom if is_below else box.bottom <= field.y
        assert abs(box.x - field.x) <= 1
        assert f"row {above // 2}" in text(app) or not is_below


async def test_completion_in_old_revisions_has_no_context() -> None:
    async with (app := Below(subject := Offering("2024-11-05", capabilities={}))).run_test(size=(60, 12)):
        app.box.consider(wanted("a", mood="grim"))
        await shows(app, "2 values")
        assert "context" not in subject.asked[0]


async def test_undeclared_completion_is_not_requested() -> None:
    async with (app := Below(subject := Offering(capabilities={"prompts": {}}))).run_test(size=(60, 12)):
        app.box.consider(wanted("a"))
        await shows(app, "the server does not support completion")
        assert subject.asked == []


async def test_unknown_completion_method_is_reported_once() -> None:
    subject = Offering()
    subject.completes = lambda params: Error(-32601, "what?")
    async with (app := Below(subject)).run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("a"))
        await shows(app, "the server does not support completion")
        app.box.consider(wanted("b"))
        await pilot.pause()
        assert "does not support completion" not in text(app)
        assert len(subject.asked) == 1


async def test_an_answer_to_an_older_question_is_dropped() -> None:
    subject = Offering()
    subject.gate = asyncio.Event()
    subject.completes = lambda params: {"completion": {"values": [params["argument"]["value"] + "!"]}}
    async with (app := Below(subject)).run_test(size=(60, 12)):
        app.box.consider(wanted("old"))
        await until(lambda: subject.calls, "the first question has gone out")
        app.box.consider(wanted("new"))
        subject.gate.set()
        await shows(app, "new!")
        assert "old!" not in text(app)


async def test_values_are_taken_one_after_the_other_and_taking_asks_for_nothing() -> None:
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": ["a\x1b[31m", "b"], "hasMore": True}}
    async with (app := Below(subject)).run_test(size=(60, 12)) as pilot:
        assert app.box.take_next() is None
        app.box.consider(wanted("x"))
        await shows(app, "a␛[31m", "2 values, more available")
        taken = [app.box.take_next() for _ in range(3)]
        assert taken == ["a\x1b[31m", "b", "a\x1b[31m"]
        app.box.consider(wanted("a\x1b[31m"))
        await pilot.pause()
        assert len(subject.asked) == 1
        assert "2 values" in text(app)


async def test_enter_takes_the_value_under_the_cursor() -> None:
    async with (app := Below(Offering())).run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("x"))
        await shows(app, "tuesday")
        await pilot.press("tab", "j", "enter")
        await until(lambda: app.posted, "it is taken")
        assert [each.value for each in app.posted if isinstance(each, Completions.Taken)] == ["tuesday"]


async def test_completion_failures_are_shown_and_disconnected_ones_not_requested() -> None:
    subject = Offering()
    app = Below(subject)
    answers: list[Any] = [Error(-32602, "no such prompt"), Disconnected("it is gone")]
    subject.completes = lambda params: answers.pop(0)
    async with app.run_test(size=(60, 12)) as pilot:
        app.box.consider(wanted("a"))
        await shows(app, "no completion: no such prompt")
        app.box.consider(wanted("b"))
        await shows(app, "no completion: it is gone")
        subject.completes = lambda params: Silent(None, 1, "idle")
        app.box.consider(wanted("c"))
        await shows(app, "no response")
        subject.now_stage = ConversationStage.CLOSED
        app.box.consider(wanted("d"))
        await pilot.pause()
        assert "no completion" not in text(app)
        assert len(subject.asked) == 3


async def test_a_flood_of_values_is_shown_as_quickly_as_a_few() -> None:
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": [f"value {n}" for n in range(10_000)]}}
    async with (app := Below(subject)).run_test(size=(100, 12)):
        app.box.consider(wanted("x"))
        await shows(app, "10,000 values  ▲ more than the allowed 100")
        app.box.rebind(subject)
        await until(lambda: "10,000" not in text(app), "another conversation begins with nothing")


async def test_many_values_are_drawn_in_sight_only(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counting(foreign: str, role: Any = "text", *, limit: int | None = None) -> Any:
        drawn.append(foreign)
        return foreign, role

    monkeypatch.setattr(offers, "span", counting)
    subject = Offering()
    subject.completes = lambda params: {"completion": {"values": [f"value {n}" for n in range(10_000)]}}
    async with (app := Below(subject)).run_test(size=(60, 12)):
        app.box.consider(wanted("v"))
        await shows(app, "10,000 values", "value 0")
        assert 0 < len(set(drawn)) < 100
        for _ in range(3):
            taken = app.box.take_next()
        assert taken == "value 2"


LONG = "\n".join(f"line {n}" for n in range(20))


async def test_a_resource_without_arguments_has_no_form_but_facts() -> None:
    async with (app := Showing(form := OfferForm(Offering(), RESOURCES))).run_test(size=(80, 20)):
        await form.show(Resource({"uri": "x://a", "name": "a", "mimeType": "text/plain", "icons": [{"src": "x"}]}))
        await shows(app, "x://a", "icon")
        assert "[Form] JSON" not in text(app)
        assert "valid" not in text(app)


async def test_long_description_expands_on_request() -> None:
    async with (app := Showing(form := OfferForm(Offering(), PROMPTS))).run_test(size=(80, 40)) as pilot:
        await form.show(Prompt({"name": "a", "description": LONG}))
        await pilot.pause()
        assert "line 19" not in text(app)
        form.toggle_about()
        await until(lambda: "line 19" in text(app), "all of it is shown")


async def test_the_preview_follows_what_is_typed_and_goes_with_the_thing() -> None:
    async with (app := Showing(form := OfferForm(Offering(), RESOURCES))).run_test(size=(80, 20)) as pilot:
        await form.show(Template({"uriTemplate": "x://{a}{?b}"}))
        form.focus_first()
        await press(pilot, "o", "space", shows="x://o%20")
        assert form.request.params == {"uri": "x://o%20"}
        await form.show(None)
        await until(lambda: "x://o%20" not in text(app), "it is gone")
        assert form.withheld() == ""


async def test_complete_key_without_proposals_explains_itself() -> None:
    async with (app := Showing(form := OfferForm(Offering(), PROMPTS))).run_test(size=(80, 20), notifications=True):
        await form.show(Prompt({"name": "a"}))
        await form.complete()
        await until(lambda: "No proposed values" in text(app), "it says so")


DAY = Template({"uriTemplate": "x://{day}"})


@pytest.mark.parametrize(
    ("kind", "thing", "arguments", "params"),
    [
        (RESOURCES, Resource({"uri": "x://a"}), {}, {"uri": "x://a"}),
        (RESOURCES, DAY, {"day": "mon day"}, {"uri": "x://mon%20day"}),
        (RESOURCES, DAY, "no object", {"uri": "x://"}),
        (PROMPTS, Prompt({"name": "a"}), {}, {"name": "a"}),
        (PROMPTS, Prompt({"name": "a"}), {"b": "c"}, {"name": "a", "arguments": {"b": "c"}}),
        (PROMPTS, Prompt({"name": "a"}), [1], {"name": "a", "arguments": [1]}),
    ],
)
def test_each_kind_sends_what_it_should(kind: OfferKind, thing: ListedItem, arguments: Any, params: Any) -> None:
    request = kind.request(thing, arguments)
    assert isinstance(request, PreparedRequest)
    assert (request.params, request.problem) == (params, "")


def test_recorded_requests_find_their_thing() -> None:
    assert RESOURCES.item.made(DAY, "x://monday")
    assert not RESOURCES.item.made(DAY, "y://monday")
    assert RESOURCES.item.made(Resource({"uri": "x://a"}), "x://a")
    assert PROMPTS.item.made(Prompt({"name": "a"}), "a")


def test_only_what_has_arguments_can_be_completed() -> None:
    assert RESOURCES.reference(Resource({"uri": "x://a"})) is None
    assert RESOURCES.reference(DAY) == {"type": "ref/resource", "uri": "x://{day}"}
    assert PROMPTS.reference(Prompt({"name": "a"})) == {"type": "ref/prompt", "name": "a"}


async def test_prompts_are_listed_with_their_arguments() -> None:
    side = ItemList(Offering(), ListedRows(PROMPTS.titles), PROMPTS.item)
    async with (app := Showing(side)).run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        side.sync()
        await shows(app, "2 prompts", "Hail a ship", "ship*, mood")


SIZE = (160, 40)


async def test_a_request_that_runs_is_cancelled_by_a_key() -> None:
    subject = Offering()
    subject.gate = asyncio.Event()
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await app.panel.action_send()
        await shows(app, "[ Cancel ^c ]")
        await app.panel.cancel_running()
        await shows(app, "× Cancelled")
        assert [exchange.target for exchange in subject.cancelled] == ["x://welcome"]
        await pilot.pause()


async def test_another_connection_keeps_the_choice_and_the_history() -> None:
    async with (app := Offers(ResourcesPanel(Offering()))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await app.panel.action_send()
        await shows(app, "✓ OK", "History 1")
        app.panel.conversation.journal.close()
        other = Offering()
        app.panel.rebind(other)
        await shows(app, "of the previous connection")
        await pilot.press("v h")
        await until(lambda: app.panel.result.body.history.has_focus, "the history has the focus")
        await shows(app, "x://welcome  · ear")
        await press(pilot, "enter", shows="lost with the previous connection")
        await press(pilot, "x r", shows="History 2")
        await until(lambda: "of the previous connection" not in text(app), "the new answer is shown")
        assert other.wanted == [{"uri": "x://welcome"}]


async def test_item_bar_shows_why_nothing_was_sent() -> None:
    subject = Offering()
    subject.now_stage = ConversationStage.CLOSED
    async with (app := Offers(ResourcesPanel(subject))).run_test(size=SIZE):
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await shows(app, "not connected")
        assert "Not sent" not in text(app)
        await app.panel.action_send()
        await shows(app, "Not sent: not connected")
        assert subject.wanted == []


async def test_a_key_ends_the_search() -> None:
    async with (app := Offers(ResourcesPanel(Offering()))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await pilot.press("/", *"tides", "enter")
        await until(lambda: "Welcome" not in text(app), "others are hidden")
        await press(pilot, "f c", shows="Welcome")


async def test_without_a_result_there_is_nothing_to_save_or_to_repeat() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=SIZE, notifications=True):
        await app.panel.form.show(None)
        assert app.panel.form.params == {}
        assert not app.panel.can_do("save-call")
        await app.panel.form.show(app.panel.items.chosen)
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await app.panel.action_do("save")
        await shows(app, "Nothing to save yet.")
        await app.panel.action_do("repeat")
        await shows(app, "✓ OK")
        assert len(subject.wanted) == 1


async def test_a_read_means_the_resource_under_the_cursor_however_fast_the_keys_came() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=SIZE) as pilot:
        await until(lambda: app.panel.form.item is not None, "a thing is chosen")
        await until(lambda: app.panel.items.has_focus_within, "the list has the focus")
        await pilot.press("j", "ctrl+j")
        await until(lambda: bool(subject.wanted), "something is read")
        assert subject.wanted == [{"uri": "x://b"}]
