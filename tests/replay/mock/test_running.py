"""A capture and settings, joined."""

import io
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.replay.mock import running
from inspector.replay.mock.running import Wish, run
from inspector.replay.mock.stage import Stage
from inspector.transports.http.listener import Listener
from tests.replay.mock.making import HANDSHAKE, INSTANT, call, record


async def test_a_torn_capture_is_played_and_told_to_be_torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "echo"))
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'{"r":"end"') - 20])
    played: list[Stage] = []

    async def serve(stage: Stage, port: int | None, narrate: object) -> None:
        played.append(stage)
        stage.differs("something")

    monkeypatch.setattr(running, "_serve", serve)
    narrated, warned = list[str](), list[str]()
    assert await run(Wish(path), INSTANT, narrate=narrated.append, warn=warned.append) == 1
    assert warned[0] == "The last line of the capture is torn and was left out."
    assert narrated[0].startswith("c.mcpcap: made, 2 requests recorded in")
    assert narrated[1] == "once the client did something else than was recorded"
    assert len(played) == 1


async def test_a_port_that_is_taken_is_a_clear_error(tmp_path: Path) -> None:
    path = record(tmp_path / "c.mcpcap", *HANDSHAKE)
    sink = io.StringIO().write
    async with Listener(lambda request: None) as there:  # type: ignore[arg-type, return-value]
        with pytest.raises(UsageError, match=rf"--http {there.port}: .*in use"):
            await run(Wish(path, port=there.port), INSTANT, narrate=sink, warn=sink)  # type: ignore[arg-type]
