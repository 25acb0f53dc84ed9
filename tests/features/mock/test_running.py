"""From a capture to the script."""

import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.capture.format.records import Redaction
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.mock import running
from inspector.features.mock.running import MockRequest, read_script, run
from inspector.features.mock.shared import MockShared
from inspector.transports.http.listener import Listener
from tests.features.mock.making import HANDSHAKE, INSTANT, answer, call, record, scripted, text


@pytest.mark.parametrize(("policy", "told"), [("credentials", 0), ("share", 1)])
def test_redacted_capture_has_a_note(policy: str, told: int, tmp_path: Path) -> None:
    journal = load(record(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo")))
    journal.head = replace(journal.head, redaction=Redaction(policy, "share"))
    assert len(read_script(journal).notes) == told


def test_capture_without_calls_is_played_with_advice(tmp_path: Path) -> None:
    (note,) = scripted(tmp_path / "c.mcpcap", *HANDSHAKE).notes
    assert note.startswith("nothing but the opening was recorded")
    assert "mcp-inspect call TOOL --capture FILE -- COMMAND" in note


def test_capture_without_opening_gets_an_invented_one(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", ">", call(1, "echo"), "<", answer(1, text("hi")))
    assert "no opening was recorded" in script.notes[0]
    assert script.capabilities == {"tools": {}}


async def test_torn_capture_is_played_with_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo"))
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'{"r":"end"') - 20])
    played: list[MockShared] = []

    async def serve(shared: MockShared, port: int | None, narrate: object) -> None:
        played.append(shared)
        shared.differs("something")

    monkeypatch.setattr(running, "_serve", serve)
    narrated, warned = list[str](), list[str]()
    assert await run(MockRequest(path), INSTANT, narrate=narrated.append, warn=warned.append) == 1
    assert warned[0] == "The last line of the capture is incomplete and was left out."
    assert narrated[0].startswith("c.mcpcap: made, 2 requests recorded in")
    assert narrated[1] == "once the client did something else than was recorded"
    assert len(played) == 1


async def test_a_port_that_is_taken_is_a_clear_error(tmp_path: Path) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE)
    sink = io.StringIO().write
    async with Listener(lambda request: None) as there:  # type: ignore[arg-type, return-value]
        with pytest.raises(UsageError, match=rf"--http {there.port}: .*in use"):
            await run(MockRequest(path, port=there.port), INSTANT, narrate=sink, warn=sink)  # type: ignore[arg-type]
