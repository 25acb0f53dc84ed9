"""The drawer: saved calls of a project, and calls of earlier sessions."""

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.config.history import StoredCall, StoredCalls
from inspector.config.paths import places
from inspector.config.remembered import KeptEnvironments
from inspector.features.cases.file import open_cases
from inspector.tui import keys
from inspector.tui.screens.items import saved
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import NameScreen
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.acting import NARROW, WIDE, Acting, Error, Tools, at_tool
from tests.tui.screens.schemas import TOOLS
from tests.waiting import until

_CALLS = """\
mcp-inspect-cases: 1
vars: {n: 2, key: "${env:KEY_OF_TEST}"}
cases:
  - name: first
    request: tools/call
    params: {name: add, arguments: {a: "{{n}}", b: 3}}
    save: {sum: $.structuredContent.sum}
  - name: second
    uses: [first]
    request: tools/call
    params: {name: echo, arguments: {text: "{{sum}} {{key}}"}}
  - name: third
    request: tools/call
    params: {name: clear}
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY_OF_TEST", "hidden-key")
    monkeypatch.setattr(saved, "_EVERY_S", 0.05)
    (tmp_path / ".git").mkdir()
    path = tmp_path / "my.mcp.yaml"
    path.write_text(_CALLS)
    return path


@pytest.fixture
def nothing_saved(project: Path) -> None:
    project.unlink()


def _drawer(app: Tools) -> saved.SavedCalls:
    return app.panel.saved


async def _opened(app: Tools) -> None:
    """The drawer is there and has the focus."""
    await shows(app, "Saved 3")
    app.panel.saved.list.focus()
    await until(lambda: app.panel.saved.has_focus_within, "the drawer has the focus")


@pytest.mark.parametrize("size", [WIDE, NARROW, (220, 50)])
async def test_a_saved_call_opens_as_its_form_with_the_values_of_variables(size: tuple[int, int]) -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=size) as pilot:
        await _opened(app)
        await pilot.press("enter")
        await until(
            lambda: app.panel.form.params == {"name": "add", "arguments": {"a": 2, "b": 3}}, "the form is filled"
        )
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")


async def test_a_run_calls_what_is_used_first_and_shows_the_result_without_secrets() -> None:
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await _opened(app)
        await pilot.press("j", "r")
        await until(lambda: len(subject.calls) == 2, "both were called")
        assert [each["name"] for each in subject.calls] == ["add", "echo"]
        assert subject.calls[1]["arguments"] == {"text": "1 hidden-key"}
        await shows(app, "2 passed, 0 failed")
        await until(lambda: not app.panel.result.is_empty, "the result is shown")
        assert app.panel.form.tool is not None
        assert app.panel.form.tool.name == "echo"
        assert "hidden-key" not in text(app)
        assert _drawer(app).has_focus_within


async def test_all_are_run_after_a_question_and_each_has_its_verdict() -> None:
    subject = Acting(TOOLS)
    subject.answer = lambda params: (
        Error(-32602, "no") if params["name"] == "clear" else {"content": [], "structuredContent": {"sum": 1}}
    )
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await _opened(app)
        _drawer(app).action_run_all()
        await until(lambda: isinstance(app.screen, ConfirmScreen), "a destructive tool is asked for")
        assert subject.calls == []
        await press(pilot, "f5", shows="2 passed, 1 failed")
        assert [each["name"] for each in subject.calls] == ["add", "echo", "clear"]
        assert text(app).count("✓ OK") >= 2
        assert "✗ Failed" in text(app)


@pytest.mark.usefixtures("nothing_saved")
async def test_the_call_of_the_form_is_saved_under_a_name(project: Path) -> None:
    async with at_tool(Acting(TOOLS), "add") as (app, pilot):
        await app.panel.form.take({"a": 4, "b": 5})
        await app.panel.action_do("save-call")
        await until(
            lambda: isinstance(app.screen, NameScreen) and bool(app.screen.query(Input)), "the name is asked for"
        )
        await until(lambda: isinstance(app.focused, Input), "the proposed name can be replaced")
        await press(pilot, *"my", "space", *"sum", "enter", shows="my sum")
        (case,) = open_cases(project.parent / saved.FILE).cases
        assert (case.name, case.params) == ("my sum", {"name": "add", "arguments": {"a": 4, "b": 5}})


async def test_a_saved_call_is_renamed_duplicated_and_deleted_after_a_question(project: Path) -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await _opened(app)
        _drawer(app).action_rename()
        await until(
            lambda: isinstance(app.screen, NameScreen) and bool(app.screen.query(Input)), "the name is asked for"
        )
        app.screen.query_one(Input).value = "other"
        await press(pilot, "enter", shows="other")
        await until(lambda: _drawer(app).has_focus_within, "the drawer has the focus again")
        _drawer(app).action_duplicate()
        await shows(app, "Saved 4")
        await pilot.press("j", "j")
        _drawer(app).action_delete()
        await until(lambda: isinstance(app.screen, ConfirmScreen), "it is asked")
        await press(pilot, "f5", shows="Saved 3")
        assert [each.name for each in open_cases(project).cases] == ["other", "second", "other (2)"]


async def test_the_environment_is_chosen_and_shown(project: Path) -> None:
    (project.parent / "env").mkdir()
    (project.parent / "env" / "dev.yaml").write_text("vars: {n: 7}\n")
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=NARROW) as pilot:
        await _opened(app)
        await shows(app, "env: none")
        _drawer(app).action_environment()
        await until(lambda: isinstance(app.screen, ChooseScreen), "the environments are offered")
        await press(pilot, "d", "e", "v", "enter", shows="env: dev")
        await until(lambda: _drawer(app).has_focus_within, "the drawer has the focus again")
        await pilot.press("r")
        await until(lambda: bool(subject.calls), "it was called")
        assert subject.calls[0]["arguments"] == {"a": 7, "b": 3}
        await until(lambda: not app.panel.result.is_empty, "the result is shown")


async def test_a_mistake_in_a_file_is_named_and_nothing_is_called(project: Path) -> None:
    await asyncio.to_thread(project.write_text, _CALLS.replace('"{{n}}"', '"{{m}}"'))
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await _opened(app)
        await pilot.press("r")
        await until(lambda: any("unknown variable 'm'" in each.message for each in app._notifications), "it is named")
        assert subject.calls == []
        await asyncio.to_thread(project.write_text, "cases: 7\n")
        await shows(app, "my.mcp.yaml: it does not begin")


@pytest.mark.usefixtures("nothing_saved")
async def test_calls_of_earlier_sessions_are_listed_opened_and_run_again() -> None:
    store = StoredCalls(places().state)
    for number, arguments in enumerate(({"text": "old"}, {"text": "new"}, {"text": "new"}, {"password": "p4ssw0rd"})):
        store.add("abc", StoredCall(number, "tools/call", {"name": "echo", "arguments": arguments}, "ok", 1.0, "x"))
    subject = Acting(TOOLS)
    subject.memory.key = "abc"
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await shows(app, "Recent 3")
        _drawer(app).list.focus()
        await pilot.press("r")
        await until(lambda: any("credential" in each.message for each in app._notifications), "it is not sent")
        await pilot.press("j", "r")
        await until(lambda: subject.calls == [{"name": "echo", "arguments": {"text": "new"}}], "it was called again")
        await pilot.press("j", "enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await until(lambda: "arguments" in app.panel.form.params, "the form is filled")


@pytest.mark.usefixtures("nothing_saved")
async def test_a_call_made_in_the_form_is_stored_for_later_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = Acting(TOOLS)
    subject.memory.key = "abc"
    async with at_tool(subject, "add") as (app, pilot):
        await app.panel.form.take({"a": 4, "b": 5})
        await pilot.press("ctrl+j")
        await until(lambda: len(StoredCalls(places().state).of("abc")) == 1, "the call is stored")
        (call,) = StoredCalls(places().state).of("abc")
        assert (call.params, call.status, call.server) == (
            {"name": "add", "arguments": {"a": 4, "b": 5}},
            "ok",
            "lighthouse",
        )
        monkeypatch.setenv("MCP_INSPECT_HISTORY", "off")
        await pilot.press("ctrl+j")
        await until(lambda: len(subject.calls) == 2, "it was called again")
    assert len(StoredCalls(places().state).of("abc")) == 1


@pytest.mark.usefixtures("nothing_saved")
async def test_the_drawer_is_shown_and_hidden_by_its_key() -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=NARROW) as pilot:
        await shows(app, "3 tools")
        assert "Saved" not in text(app)
        await app.panel.action_do("saved")
        await shows(app, "No saved calls.")
        await until(lambda: _drawer(app).has_focus_within, "the drawer has the focus")
        await pilot.press("right_square_bracket")
        await app.panel.action_do("saved")
        await until(lambda: "No saved calls." not in text(app), "it is hidden")
        await until(lambda: app.panel.items.has_focus_within, "the list has the focus")


async def test_the_environment_is_remembered_for_the_project(project: Path) -> None:
    KeptEnvironments(places().state).keep(project.parent, "dev")
    saved._ENVIRONMENTS.pop(project.parent, None)
    (project.parent / "env").mkdir()
    (project.parent / "env" / "dev.yaml").write_text("vars: {n: 7}\n")
    async with (app := Tools(Acting(TOOLS))).run_test(size=NARROW) as pilot:
        await _opened(app)
        await shows(app, "env: dev")
        _drawer(app).action_environment()
        await until(lambda: isinstance(app.screen, ChooseScreen), "the environments are offered")
        await press(pilot, "n", "o", "enter", shows="env: none")
        await until(lambda: KeptEnvironments(places().state).of(project.parent) == "", "the choice is stored")


async def test_marked_calls_run_again_and_destructive_ones_do_not(project: Path) -> None:
    async with (app := Tools(subject := Acting(TOOLS))).run_test(size=WIDE) as pilot:
        await _opened(app)
        _drawer(app).action_mark()
        await pilot.press("j", "j")
        _drawer(app).action_mark()
        await shows(app, "★ first", "★ third")
        ran = await _drawer(app).run_marked()
        assert [(each.name, each.before, each.passed) for each in ran] == [("first", None, True), ("third", None, None)]
        assert "destructive" in ran[1].why
        subject.answer = lambda params: Error(-32602, "no")
        ran = await _drawer(app).run_marked()
        assert [(each.before, each.passed) for each in ran[:1]] == [(True, False)]
        assert {each["name"] for each in subject.calls} == {"add"}
        await pilot.press("k", "k")
        _drawer(app).action_mark()
        await until(lambda: "★ first" not in text(app), "it is not marked any more")


async def test_isolated_call_warns_of_the_shared_connection(project: Path) -> None:
    isolated = _CALLS.replace("  - name: third\n", "  - name: third\n    isolate: true\n")
    await asyncio.to_thread(project.write_text, isolated)
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE):
        await shows(app, "not isolated")


_OTHERS = """\
mcp-inspect-cases: 1
target: {target}
cases:
  - {{name: of another server, request: tools/call, params: {{name: launch_rocket}}}}
"""


async def test_saved_calls_of_other_servers_are_not_listed(project: Path) -> None:
    project.with_name("other.mcp.yaml").write_text(_OTHERS.format(target="elsewhere"))
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE):
        await shows(app, "Saved 3", "1 for other servers")
        assert "of another server" not in text(app)


async def test_saved_call_of_this_target_is_listed_even_if_its_tool_is_gone(project: Path) -> None:
    subject = Acting(TOOLS)
    project.with_name("other.mcp.yaml").write_text(_OTHERS.format(target=subject.about.label))
    async with (app := Tools(subject)).run_test(size=WIDE):
        await shows(app, "Saved 4", "of another server")


async def test_drawer_with_calls_of_other_servers_only_stays_closed(project: Path) -> None:
    project.write_text(_OTHERS.format(target="elsewhere"))  # noqa: ASYNC240
    async with (app := Tools(Acting(TOOLS))).run_test(size=WIDE):
        await until(lambda: app.panel.saved._all, "the file is read")
        assert not app.panel.saved.is_shown


async def test_saving_a_call_and_saving_a_result_have_two_labels_and_two_keys() -> None:
    async with (app := Tools(Acting(TOOLS))).run_test(size=(190, 40)) as pilot:
        await shows(app, "Saved 3")
        await pilot.press("enter")
        await until(lambda: app.panel.form.has_focus_within, "the form has the focus")
        await shows(app, "[ Save call ]")
        await press(pilot, "escape", shows="[ Save call x s ]")
    assert keys.action("tools.save").label == "Save result"
