"""The mock on a pipe: lines in, lines out, and its end."""

import asyncio
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.features.mock.running import serve_stdio as serve
from inspector.features.mock.shared import MockSettings, MockShared, read_fault
from tests.features.mock.making import HANDSHAKE, INSTANT, answer, call, scripted, text
from tests.waiting import PATIENCE_S


async def _played(place: Path, settings: MockSettings, *lines: bytes) -> list[bytes]:
    """What comes out where these lines go in and then nothing more."""
    script = scripted(place / "c.mcpcap", *HANDSHAKE, call(1, "echo"), "<", b"a banner", answer(1, text("hi")))
    (theirs, to_mock), (from_mock, ours) = os.pipe(), os.pipe()
    try:
        os.write(to_mock, b"".join(lines))
        os.close(to_mock)
        async with asyncio.timeout(PATIENCE_S):
            await serve(MockShared(script, settings, tell=lambda text: None), theirs, ours)
    finally:
        os.close(ours)
        os.close(theirs)
    with os.fdopen(from_mock, "rb") as out:
        return out.read().splitlines(keepends=True)


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


async def test_each_line_is_answered_by_a_line_and_a_banner_stays_one(tmp_path: Path) -> None:
    out = await _played(
        tmp_path, INSTANT, _line(call(1, "echo")), b"\r\n", _line(call(2, "echo")).replace(b"\n", b"\r\n")
    )
    assert [line for line in out if b"banner" in line] == [b"a banner\n"] * 2
    assert [json.loads(line) for line in out if b"banner" not in line] == [answer(n, text("hi")) for n in (1, 2)]


async def test_a_cut_ends_it_in_the_middle_of_a_line(tmp_path: Path) -> None:
    settings = MockSettings(speed=math.inf, faults=(read_fault("cut"),))
    out = await _played(tmp_path, settings, _line(call(1, "echo")), _line(call(2, "echo")))
    assert out[0] == b"a banner\n"
    assert out[-1].startswith(b'{"jsonrpc"')
    assert not out[-1].endswith(b"\n")


async def test_mock_ends_when_stdout_is_closed(tmp_path: Path) -> None:
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE)
    (theirs, to_mock), (from_mock, ours) = os.pipe(), os.pipe()
    os.close(from_mock)
    os.write(to_mock, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    try:
        async with asyncio.timeout(PATIENCE_S):
            await serve(MockShared(script, INSTANT, tell=lambda text: None), theirs, ours)
    finally:
        for fd in (ours, to_mock, theirs):
            os.close(fd)


@pytest.mark.parametrize("rest", [b"", b'{"jsonrpc":"2.0","id":2,"method":"ping"}'])
async def test_messages_before_the_end_are_answered(tmp_path: Path, rest: bytes) -> None:
    out = await _played(tmp_path, INSTANT, _line(call(1, "echo")), rest)
    assert len(out) == (3 if rest else 2)
