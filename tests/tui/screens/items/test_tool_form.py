"""The form of a tool, and when it is sent."""

import pytest
from textual.widgets import Input, TextArea

from inspector.protocol.flows.tasks import Support
from inspector.protocol.listed_items import Tool
from inspector.tui.screens.items.form import CallBar, ItemForm, ItemHead
from inspector.tui.screens.items.tools import ToolForm, describe
from tests.settling import click
from tests.tui.screen_text import shows, text
from tests.tui.screens.schemas import ADD, CLEAR, ECHO
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Form(Showing):
    def __init__(self) -> None:
        self.tool_form = ToolForm()
        super().__init__(self.tool_form)

    def on_item_form_call_wanted(self, event: ItemForm.CallWanted) -> None:
        self.posted.append(event)

    @property
    def wanted(self) -> list[object]:
        return [message.arguments for message in self.posted if isinstance(message, ItemForm.CallWanted)]


async def test_without_a_tool_there_is_nothing_to_send() -> None:
    async with (app := Form()).run_test(size=(80, 20)):
        await app.tool_form.send()
        await app.tool_form.toggle_json()
        await shows(app, "No tool selected")
        assert app.wanted == []


async def test_right_input_is_sent_at_once_and_wrong_input_at_the_second_time() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.tool_form.show(Tool(ADD))
        await app.tool_form.send()
        await app.tool_form.take({"a": "no"})
        await app.tool_form.send()
        await pilot.pause()
        assert app.wanted == [{"a": 1}]
        assert "Call anyway (1 error)" in text(app)
        await app.tool_form.send()
        await pilot.pause()
        assert app.wanted == [{"a": 1}, {"a": "no"}]


async def test_word_that_is_no_choice_is_questioned_before_the_call() -> None:
    flag = {"type": "object", "properties": {"loud": {"type": "boolean"}}}
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.tool_form.show(Tool({"name": "say", "inputSchema": flag}))
        app.tool_form.form.focus_first()
        await pilot.pause()
        await pilot.press(*"hey")
        await app.tool_form.send()
        await until(lambda: "Call anyway" in text(app), "it asks")
        assert app.wanted == []
        assert "no choice begins with hey" in text(app)


async def test_a_tool_without_a_schema_takes_whatever_is_added() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.tool_form.show(Tool({"name": "bare"}))
        await app.tool_form.take({"x": [1]})
        await app.tool_form.send()
        await pilot.pause()
        assert app.wanted == [{"x": [1]}]


async def test_while_nothing_can_be_called_nothing_is_wanted() -> None:
    async with (app := Form()).run_test(size=(80, 20), notifications=True) as pilot:
        await app.tool_form.show(Tool(ADD))
        app.tool_form.show_why_not("not connected [/]")
        await app.tool_form.send()
        await pilot.pause()
        assert app.wanted == []
        assert "▲ Not sent: not connected [/]" in text(app)
        assert not app.query("Toast")
        app.tool_form.show_why_not("")
        await pilot.pause()
        assert "Not sent" not in text(app)


async def test_invalid_json_arguments_are_not_sent() -> None:
    async with (app := Form()).run_test(size=(80, 20), notifications=True) as pilot:
        await app.tool_form.show(Tool(ADD))
        await app.tool_form.toggle_json()
        edit = app.query_one(".form--json", TextArea)
        edit.text = "{"
        await pilot.pause()
        await app.tool_form.send()
        await shows(app, "Not sent: invalid JSON")
        assert not app.query("Toast")
        edit.text = '{"a": 3}'
        await until(lambda: "✓ Valid" in text(app), "the next value is judged anew")


async def test_unjudgeable_schema_is_not_called_valid() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        odd = {"$schema": "https://example.com/none", "type": "object"}
        await app.tool_form.show(Tool({"name": "odd", "inputSchema": odd}))
        await until(lambda: "▲ Not validated" in text(app), "the bar says that there is no verdict")
        assert "✓ Valid" not in text(app)
        await app.tool_form.send()
        await pilot.pause()
        assert app.wanted == [{}]


async def test_a_tool_without_fields_focuses_its_button() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.tool_form.show(Tool({"name": "n", "inputSchema": {"type": "object", "additionalProperties": False}}))
        await pilot.pause()
        app.tool_form.focus_first()
        await pilot.press("enter")
        await until(lambda: app.wanted == [{}], "Enter calls")


async def test_a_tool_that_names_no_arguments_focuses_its_button_where_keys_are_no_text() -> None:
    async with (app := Form()).run_test(size=(80, 20)) as pilot:
        await app.tool_form.show(Tool({"name": "bare", "inputSchema": {"type": "object", "properties": {}}}))
        app.tool_form.focus_first()
        await until(lambda: isinstance(app.focused, CallBar), "the button has the focus")
        await shows(app, "+ name of the property to add")
        await app.tool_form.toggle_json()
        await until(lambda: isinstance(app.focused, TextArea), "the JSON has the focus")
        await app.tool_form.toggle_json()
        await until(lambda: isinstance(app.focused, Input), "the focus is not lost")
        await pilot.pause()


async def test_task_choice_is_kept_per_tool() -> None:
    async with (app := Form()).run_test(size=(80, 20)):
        form = app.tool_form
        await form.show(Tool(ADD))
        form.set_task_support(Support.OPTIONAL)
        await shows(app, "○ as a task x t")
        form.toggle_task()
        await shows(app, "✓ as a task x t")
        wanted = [form.as_task]
        for tool in (ECHO, ADD):
            await form.show(Tool(tool))
            wanted.append(form.as_task)
        assert wanted == [True, False, True]


@pytest.mark.parametrize(("support", "words"), [(Support.REQUIRED, "task required"), (Support.NONE, "[ Call")])
async def test_task_choice_without_alternative_is_explained(support: Support, words: str) -> None:
    async with (app := Form()).run_test(size=(100, 20)):
        form = app.tool_form
        await form.show(Tool(ADD))
        form.set_task_support(support)
        form.toggle_task()
        await shows(app, words)


async def test_unmirrorable_argument_is_reported_before_the_call() -> None:
    schema = {"type": "object", "properties": {"p": {"type": "integer", "x-mcp-header": "P"}}}
    async with (app := Form()).run_test(size=(120, 20)) as pilot:
        await app.tool_form.show(Tool({"name": "t", "inputSchema": schema}))
        await app.tool_form.take({"p": 2**60})
        await pilot.pause()
        assert "beyond 2^53" not in text(app), "nothing is mirrored on a pipe"
        app.tool_form.set_mirrored(True)
        await until(lambda: "p is beyond 2^53 and can't be sent in Mcp-Param-P" in text(app), "the bar says so")


async def shown(raw: object, *, full: bool = False) -> str:
    async with (app := Showing(ItemHead(describe))).run_test(size=(90, 40)) as pilot:
        head = app.query_one(ItemHead)
        head.show(Tool(raw))
        if full:
            head.toggle()
        await pilot.pause()
        return text(app)


async def test_claims_are_labelled_as_the_servers() -> None:
    assert "server hints: read-only" in await shown(ECHO)
    assert "destructive" in await shown(CLEAR)


async def test_the_cost_is_counted_in_bytes_and_guessed_in_tokens() -> None:
    said = await shown(ECHO, full=True)
    assert "B definition" in said
    assert "tokens" in said


async def test_long_tool_description_is_folded() -> None:
    raw = {**ECHO, "description": "\n".join(f"line {number}" for number in range(12))}
    beginning, everything = await shown(raw), await shown(raw, full=True)
    assert "line 1 …" in beginning
    assert "line 2" not in beginning
    assert "i Info" in beginning
    assert "line 11" in everything
    assert "i Less" in everything


async def test_a_click_shows_all_and_hides_it_again() -> None:
    async with (app := Showing(head := ItemHead(describe))).run_test(size=(60, 20)) as pilot:
        head.show(Tool({**ECHO, "description": "sentence " * 60}))
        await pilot.pause()
        assert head.size.height == 3
        assert "B definition" not in text(app)
        await click(app, (10, 1))
        await until(lambda: "B definition" in text(app), "all is shown")
        await click(app, (10, 1))
        await until(lambda: head.size.height == 3, "it is folded again")


async def test_tool_flaw_is_shown() -> None:
    assert "▲ its inputSchema is missing" in await shown({"name": "bare"})


async def test_hostile_words_are_only_words() -> None:
    said = await shown({**ECHO, "title": "[@click=app.quit]x[/]", "description": "\x1b[2Jgone \u202ebackwards"})
    assert "[@click=app.quit]x[/]" in said
    assert "␛[2Jgone ‹U+202E›backwards" in said


async def test_the_star_of_what_is_required_is_explained_where_there_is_one() -> None:
    async with (app := Showing(head := ItemHead(describe))).run_test(size=(80, 12)) as pilot:
        head.show(Tool(ECHO), most=9)
        await shows(app, "* required")
        head.show(Tool(CLEAR), most=9)
        await pilot.pause()
        assert "* required" not in text(app)


async def test_compatibility_is_shown_for_affected_tools() -> None:
    said = await shown({**ECHO, "inputSchema": {"anyOf": []}}, full=True)
    assert "Claude Code (2.1.332, 2026-11-28) drops every tool" in said
    assert "v C Clients" in said
    assert "v C Clients" not in await shown(ECHO, full=True)
