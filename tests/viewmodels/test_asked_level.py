"""What the log's screen says of the level that the server was asked for."""

from typing import Any

import pytest

from inspector.viewmodels.asked_level import asked_level, takes_levels
from inspector.viewmodels.lines import plain
from inspector.viewmodels.server_log import ServerLog
from tests.viewmodels.tape import Tape

LEGACY = "2025-06-18"
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "me"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def said(tape: Tape, stamped: str = "") -> str:
    log = ServerLog(tape.journal)
    while log.refresh(1000):
        pass
    left, right = asked_level(tape.journal, log.setting, stamped)
    return " | ".join(filter(None, (plain(left), plain(right))))


def legacy(tape: Tape, **capabilities: Any) -> Tape:
    return tape.initialized(LEGACY, capabilities=capabilities)


def modern(tape: Tape) -> Tape:
    tape.request(1, "server/discover", {"_meta": MODERN})
    result = {"supportedVersions": ["2026-07-28"], "capabilities": {"logging": {}}, "serverInfo": {"name": "x"}}
    tape.answer(1, result | {"resultType": "complete"})
    return tape


def test_before_a_level_is_set_the_server_decides(tape: Tape) -> None:
    assert said(legacy(tape, logging={})) == "Log   no level set: the server decides | S sets the level"
    assert not asked_level(tape.journal, None, "", can_set=False)[1], "a moment of a recording, whose level nobody sets"


def test_a_server_that_does_not_declare_logging_is_said_to_have_none(tape: Tape) -> None:
    assert "no logging capability" in said(legacy(tape, tools={}))


def test_before_the_conversation_is_open_nothing_is_claimed(tape: Tape) -> None:
    assert said(tape) == "Log   "


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda tape: None, "⋯ setting info  #4"),
        (lambda tape: tape.answer(5, {}), "info and graver, set by logging/setLevel  #4"),
        (lambda tape: tape.error(5, -32602, "no"), "✗ refused info, error -32602  #4"),
        (lambda tape: tape.died(), "▲ no answer to info  #4"),
    ],
)
def test_a_level_that_was_set_shows_what_became_of_it(tape: Tape, answer: Any, words: str) -> None:
    legacy(tape, logging={})
    tape.request(5, "logging/setLevel", {"level": "info"})
    answer(tape)
    assert words in said(tape)


def test_a_level_that_is_no_text_is_not_shown_as_one(tape: Tape) -> None:
    legacy(tape, logging={})
    tape.request(5, "logging/setLevel", {"level": 3})
    assert "setting ?" in said(tape)


def test_where_each_request_asks_the_stamped_level_is_shown(tape: Tape) -> None:
    modern(tape)
    assert takes_levels(tape.journal)
    assert "requests ask for no log messages" in said(tape)
    assert "each request asks for notice and graver" in said(tape, "notice")


def test_where_a_request_sets_it_no_request_carries_it(tape: Tape) -> None:
    assert not takes_levels(legacy(tape).journal)
