"""The panel with list, form and result: what is preserved when the list is fetched again."""

from typing import Any

import pytest
from textual.widgets import Input

from inspector.tui.screens.items.form import focused_path
from inspector.tui.screens.items.list import news_of
from inspector.tui.screens.items.panel import NARROW
from inspector.tui.screens.items.panel import WIDE as STEPS_WIDE
from inspector.tui.screens.items.prompts import PromptsPanel
from inspector.tui.screens.items.resources import ResourcesPanel
from inspector.tui.screens.items.tools import ToolsPanel
from tests.tui.checked import checked
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import WIDE, Acting, Tools, at_tool, chosen
from tests.tui.screens.offering import Offering, Offers
from tests.tui.screens.schemas import TOOLS
from tests.tui.widgets.showing import Showing
from tests.waiting import until

NUMBER = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
TEXT = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}


def tool(name: str, schema: Any = NUMBER, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema, **more}


def form_of(panel: ToolsPanel) -> Any:
    return panel.form.form.arguments


async def test_input_selection_and_search_survive_a_new_list() -> None:
    async with at_tool(subject := Acting([tool("add"), tool("sub"), tool("mul")]), "sub", "enter") as (app, pilot):
        await until(lambda: isinstance(app.focused, Input), "the field has the focus")
        await pilot.press("4", "2")
        subject.list([tool("abs"), tool("add", description="Adds."), tool("sub"), tool("mul")])
        await shows(app, "1 new, 1 changed: g d shows", "abs + new", "add ◆ changed")
        await pilot.pause(0.2)
        assert app.panel.form.tool is not None
        assert app.panel.form.tool.name == "sub"
        assert isinstance(app.focused, Input)
        assert app.focused.value == "42"
        await pilot.press("1")
        await until(lambda: form_of(app.panel) == {"a": 421}, "typing goes on where it was")


async def test_a_schema_that_changes_below_the_hands_keeps_what_was_typed_and_where() -> None:
    async with at_tool(subject := Acting([tool("add")]), "add", "enter") as (app, pilot):
        await until(lambda: isinstance(app.focused, Input), "the field has the focus")
        await pilot.press("4", "2")
        subject.list([tool("add", TEXT)])
        await shows(app, "1 changed: g d shows")
        await until(lambda: form_of(app.panel) == {"a": 42}, "the value stays, right or wrong")
        await until(lambda: focused_path(app.panel.form.form) == ("a",), "so does the focus")


async def test_a_tool_that_goes_away_keeps_its_form_and_can_still_be_called() -> None:
    async with at_tool(subject := Acting([tool("add"), tool("sub")]), "add", "enter") as (app, pilot):
        await until(lambda: isinstance(app.focused, Input), "the field has the focus")
        await pilot.press("7")
        subject.list([tool("sub")])
        await shows(app, "[ Call anyway ^j ]", "no longer listed", "1 gone: g d shows")
        await pilot.press("ctrl+j")
        await until(lambda: subject.calls, "the call went out")
        assert subject.calls == [{"name": "add", "arguments": {"a": 7}}]
        subject.list([tool("add"), tool("sub")])
        await until(lambda: "no more" not in text(app), "it is back")


async def test_the_last_tool_that_goes_away_keeps_its_form_too() -> None:
    async with at_tool(subject := Acting([tool("add")]), "add") as (app, _):
        subject.list([])
        await shows(app, "no longer listed")
        assert app.panel.form.tool is not None


async def test_the_place_in_a_long_list_stays() -> None:
    names = [f"tool{number:03}" for number in range(200)]
    async with (app := Tools(subject := Acting([tool(name) for name in names]))).run_test(size=WIDE):
        await until(lambda: app.panel.form.tool is not None, "a first form is there")
        view = app.panel.items.list.view
        app.panel.items.list.go_to(100)
        view.scroll_to(90)
        await until(lambda: app.panel.form.tool is not None and app.panel.form.tool.name == "tool100", "it is meant")
        subject.list([tool("aaa"), *map(tool, names)])
        await shows(app, "1 new: g d shows")
        assert (view.cursor, view.top) == (101, 91)


async def test_the_changes_are_shown_with_both_sides() -> None:
    subject = Acting([tool("add", description="Adds two numbers"), tool("old")])
    async with at_tool(subject, "add") as (app, pilot):
        subject.list([tool("add", TEXT, description="Adds three numbers")])
        await shows(app, "1 gone, 1 changed: g d shows")
        await press(pilot, "g d", shows='    inputSchema.properties.a.type: "integer" → "string"')
        await shows(app, "− Adds [two] numbers", "+ Adds [three] numbers", "− old")
        await pilot.press("escape")
        await until(lambda: "1 tool removed" not in text(app), "the list is back")


async def test_pages_oddities_and_a_stale_list_are_shown_above_it_and_its_ttl_in_the_description() -> None:
    subject = Acting()
    subject.tape.request(1, "tools/list")
    subject.tape.answer(1, {"tools": [tool("a"), tool("a")], "nextCursor": "2", "ttlMs": 60000, "cacheScope": "public"})
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await shows(app, "page 1, more: x + fetches the next", "1 item comes more than once")
        await press(pilot, "i", shows="TTL 60 s")
        subject.tape.wait(63_000)
        await shows(app, "stale since")
        fetched: list[tuple[str, ...]] = []

        async def more(*kinds: str) -> None:
            fetched.append(kinds)

        subject.fetch_more = more  # type: ignore[method-assign]
        await pilot.press("x +")
        await until(lambda: fetched == [("tools",)], "a page is asked for")


async def test_half_a_list_does_not_replace_a_whole_one() -> None:
    class Fetching(Acting):
        now_listing: str | None = None

        @property
        def listing(self) -> str | None:
            return self.now_listing

    subject = Fetching([tool("add"), tool("sub"), tool("mul")])
    async with at_tool(subject, "mul") as (app, pilot):
        subject.now_listing = "tools"
        subject.tape.request(1, "tools/list")
        subject.tape.answer(1, {"tools": [tool("add")], "nextCursor": "2"})
        await pilot.pause(0.3)
        assert "3 tools" in text(app)
        subject.tape.request(2, "tools/list", {"cursor": "2"})
        subject.tape.answer(2, {"tools": [tool("sub"), tool("mul"), tool("div")]})
        subject.now_listing = None
        await shows(app, "4 tools", "1 new: g d shows")
        assert app.panel.form.tool is not None
        assert app.panel.form.tool.name == "mul"


def test_news_are_of_the_requested_kinds() -> None:
    assert [each.kind for each in news_of(Acting([tool("a")]), ("tools", "prompts"))] == ["tools", "prompts"]


async def test_prompt_row_has_badges_and_findings() -> None:
    subject = Offering()
    subject.offer("prompts/list", "prompts", [{"name": "calm", "description": "x"}, {"name": "odd", "arguments": "no"}])
    async with (app := Offers(PromptsPanel(subject))).run_test(size=(160, 40)) as pilot:

        def chosen() -> str:
            return app.panel.form.item.name if app.panel.form.item is not None else ""

        await until(lambda: chosen() == "calm", "the first is chosen")
        app.panel.items.list.focus()
        await pilot.press("j")
        await until(lambda: chosen() == "odd", "the other one is chosen")
        subject.checks.catch_up()
        await until(lambda: "odd + new ✗1" in text(app), "its row has a badge")
        await until(
            lambda: (
                "✗ error prompt-name-missing prompts/list (odd):" in text(app)
                and "prompts/1/arguments must be an array" in text(app)
            ),
            "the finding is shown",
        )
        await until(lambda: "8 Evidence" in text(app), "the key for the evidence is shown")
        assert "calm ✗" not in text(app)
        await pilot.press("k")
        await until(lambda: "error prompt-name-missing" not in text(app), "nothing is wrong with the other one")
        assert "odd + new ✗1" in text(app)


async def test_templates_and_reads_of_resources_are_judged_too() -> None:
    async with (app := Offers(ResourcesPanel(subject := Offering()))).run_test(size=(80, 24)):
        await until(lambda: "broken" in text(app), "the resources are listed")
        subject.checks.catch_up()
        await until(lambda: "broken ✗1" in text(app), "the template's row has a badge before its flaw")
        assert "Welcome ✗" not in text(app)


async def test_the_screen_of_findings_begins_at_what_was_found_about_the_chosen_tool() -> None:
    async with checked("lighthouse", (160, 45), show="tools") as (app, pilot):
        panel = app.panel
        await pilot.press("slash", *"barometer", "enter")
        await until(lambda: bool(panel.selected_findings), "something was found about the tool")
        meant = panel.selected_findings[0]
        await until(lambda: meant.id in text(app), "it is told above the form")
        await press(pilot, "8", shows=f"Check     {meant.id}")
        assert meant.sentence[:40] in text(app)


async def test_a_cause_that_all_tools_share_is_stated_once() -> None:
    subject = Acting([{"name": f"t{at}", "inputSchema": {"type": "object"}} for at in range(6)])
    async with (app := Tools(subject)).run_test(size=(160, 40)) as pilot:
        await chosen(app, pilot, "t0")
        subject.checks.catch_up()
        await until(lambda: "6 of 6" in text(app), "what all have in common")
        assert text(app).count("tool-description") == 1
        assert not any(sign in line for line in text(app).split("\n") for sign in ("t3 ·", "t3 ▲", "t3 ✗"))
        await chosen(app, pilot, "t4")
        assert text(app).count("tool-description") == 1


@pytest.mark.parametrize(
    ("width", "shown"),
    [(NARROW - 1, (True, False, False)), (NARROW, (True, True, False)), (STEPS_WIDE, (True, True, True))],
)
async def test_the_first_step_is_in_sight_with_as_many_others_as_have_room(width: int, shown: tuple[bool, ...]) -> None:
    async with Showing(panel := ResourcesPanel(Offering())).run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        assert tuple(bool(part.region.area) for part in (panel.items, panel.form, panel.result)) == shown


@pytest.mark.parametrize(
    ("width", "step", "shown"),
    [(80, "form", (False, True, False)), (80, "result", (False, False, True)), (160, "result", (True, True, True))],
)
async def test_the_step_that_was_taken_is_in_sight(width: int, step: str, shown: tuple[bool, ...]) -> None:
    panel = ToolsPanel(Acting(TOOLS))
    steps, app = panel.steps, Showing(panel)
    async with app.run_test(size=(width, 24)) as pilot:
        steps.go(step)  # type: ignore[arg-type]
        await pilot.pause()
        sizes = [bool(part.region.area) for part in (steps.items, steps.form, steps.result)]
        assert tuple(sizes) == shown


async def test_escape_goes_back_step_by_step_by_where_the_focus_is() -> None:
    panel = ToolsPanel(Acting(TOOLS))
    steps, app = panel.steps, Showing(panel)
    async with app.run_test(size=(160, 24)) as pilot:
        await until(lambda: steps.is_ready, "all is laid out")
        steps.go("result")
        await pilot.pause()
        assert panel.go_back()
        assert steps.step == "form"
        await pilot.pause()
        assert panel.go_back()
        await pilot.pause()
        assert steps.items.has_focus_within
        assert panel.go_back()
        await pilot.pause()
        assert steps.items.has_focus_within
