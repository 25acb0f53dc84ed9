"""The extensions of both sides as facts."""

from typing import Any

from inspector.protocol.extensions import SKILLS, UI
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import newest_of
from inspector.viewmodels.extensions import extensions_section
from tests.viewmodels.tape import Tape


def _opening(tape: Tape, server: Any, client: Any) -> Opening:
    """An opening in which both sides declare these extensions."""
    date = newest_of(Era.MODERN).date
    meta = {
        "io.modelcontextprotocol/protocolVersion": date,
        "io.modelcontextprotocol/clientInfo": {"name": "me"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": client},
    }
    tape.request(1, "server/discover", {"_meta": meta})
    tape.answer(1, {"supportedVersions": [date], "capabilities": {"extensions": server}})
    opening = tape.journal.conversation.opening
    assert opening is not None
    return opening


def test_each_extension_says_who_declares_it_with_which_settings_and_what_it_is(tape: Tape) -> None:
    server = {SKILLS: {"directoryRead": True}, "com.example/\x1b[31m": {}}
    section = extensions_section(_opening(tape, server, {SKILLS: {}, UI: {"mimeTypes": ["a"]}}))
    assert [(fact.key, fact.value) for fact in section.facts if fact.key] == [
        (SKILLS, 'both sides: server {"directoryRead":true}'),
        ("com.example/␛[31m", "the server only"),
        (UI, 'we only: we {"mimeTypes":["a"]}'),
    ]
    meanings = [fact.value for fact in section.facts if not fact.key]
    assert meanings[0].startswith("It serves agent skills")
    assert len(meanings) == 2


def test_without_any_there_is_no_section(tape: Tape) -> None:
    assert extensions_section(_opening(tape, None, None)).facts == ()
