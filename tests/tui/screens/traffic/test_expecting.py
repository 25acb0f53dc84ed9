"""A visible value becomes an expectation of a test case."""

from pathlib import Path
from typing import Any

import pytest

from inspector.features.cases.file import open_cases
from inspector.features.cases.model import CaseDefinition, ExpectationKind
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.traffic import actions
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.widgets.payload import PayloadView
from inspector.tui.widgets.payload_actions import PayloadActions
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Inspecting(Showing):
    conversation: OpenConversation

    def on_payload_actions_expect_wanted(self, message: PayloadActions.ExpectWanted) -> None:
        actions.expect(message.view, message.place)


def called(tape: Tape, result: Any) -> Staged:
    tape.request(1, "tools/list")
    tools = [{"name": "add", "inputSchema": {}, "outputSchema": {"type": "object"}}, {"name": "say", "inputSchema": {}}]
    tape.answer(1, {"tools": tools})
    tape.call(2, "add", {"a": 2})
    tape.wait(20).answer(2, result)
    return Staged(tape)


async def _expected(
    staged: Staged, downs: int, choice: str, folder: Path, view: str = "#second", entry: int = 3
) -> tuple[str, str]:
    """What the menu and the screen afterwards show when `A` is pressed some lines down in the answer."""
    panel = DetailPanel(staged)
    app = Inspecting(panel)
    app.conversation = staged
    async with app.run_test(size=(120, 45), notifications=True) as pilot:
        panel.show(entry)
        await pilot.pause()
        panel.query_one(view, PayloadView).focus_content()
        await pilot.press("g g", *["down"] * downs, "x a")
        menu = text(app)
        if choice:
            file = folder / "mcp-inspect.cases.yaml"
            was = file.read_bytes() if file.exists() else b""
            await pilot.press(*choice.split())
            await until(lambda: file.exists() and file.read_bytes() != was, "the case is written")
            await until(lambda: "mcp-inspect test" in text(app), "it is told")
        return menu, text(app)


async def test_a_value_of_an_answer_becomes_a_case_and_the_next_joins_it(
    tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    staged = called(tape, {"structuredContent": {"sum": 5}})
    menu, after = await _expected(staged, 5, "enter enter", tmp_path)
    assert "Add assertion for /result/structuredContent/sum" in menu
    for words in ("equals 5", "is of type", "exists", "received within 60 ms", "equals this"):
        assert words in menu
    assert "Added." in after
    menu, after = await _expected(staged, 4, "enter down down down enter", tmp_path)
    assert 'matches the schema "outputSchema"' in menu
    assert "Added." in after
    (case,) = open_cases(tmp_path / "mcp-inspect.cases.yaml").cases
    assert case == CaseDefinition(
        "tools/call add",
        "tools/call",
        {"name": "add", "arguments": {"a": 2}},
        case.expect,
        line=case.line,
        expects_at=case.expects_at,
        span=case.span,
        name_at=case.name_at,
    )
    assert {(each.kind, each.at, each.value) for each in case.expect} == {
        (ExpectationKind.EQUALS, "/result/structuredContent/sum", 5),
        (ExpectationKind.SCHEMA, "/result/structuredContent", "outputSchema"),
    }


async def test_a_value_of_a_failure_expects_the_failure_too(
    tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await _expected(called(tape, {"isError": True, "hint": "\x1b[2Jx"}), 5, "enter enter", tmp_path)
    (case,) = open_cases(tmp_path / "mcp-inspect.cases.yaml").cases
    found = [(each.kind, each.at, each.value) for each in case.expect]
    assert found == [
        (ExpectationKind.EQUALS, "/result/hint", "\x1b[2Jx"),
        (ExpectationKind.EQUALS, "/result/isError", True),
    ]


async def test_a_case_has_the_answers_that_the_call_was_given(
    tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tape.request(1, "tools/list")
    tape.call(2, "plan")
    tape.answer(2, {"sum": 5})
    tape.server_request("q", "elicitation/create", {"message": "Which?"})
    tape.client_answer("q", {"action": "accept", "content": {"city": "Oslo"}})
    tape.answer(1, {"tools": []})
    entry = tape.call(3, "plan")
    tape.server_request("r", "elicitation/create", {"message": "Which?"})
    tape.client_answer("r", {"action": "decline"})
    tape.answer(3, {"sum": 6})
    await _expected(Staged(tape), 4, "enter enter", tmp_path, entry=entry)
    (case,) = open_cases(tmp_path / "mcp-inspect.cases.yaml").cases
    assert case.answers == ({"kind": "elicitation", "malformed": {"action": "decline"}},)


async def test_a_value_of_a_request_is_none_of_an_answer(tape: Tape, tmp_path: Path) -> None:
    menu, _ = await _expected(called(tape, {}), 2, "", tmp_path, view="#first")
    assert "Select a value" in menu
    assert "Add assertion for" not in menu


def test_every_kind_has_its_words() -> None:
    assert set(actions._WORDS) == set(ExpectationKind)
