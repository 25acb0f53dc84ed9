"""Mocks of long captures: how soon a client is answered, at once and by a call of which there are tens of thousands.

A mock reads as it goes: in memory stand twelve bytes a frame beside the index of the capture, and what was said stays
in the file. So its figures are those of loading, and again of recalling what loading came to.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import measure

_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_CALL = {"name": "search", "arguments": {"q": "never asked"}}


class Answered(msgspec.Struct):
    """One run of a mock."""

    first_s: float
    """From the start of the program to the answer to `initialize`."""
    call_s: float
    """What the first call took, for which the nearest of all recorded ones is looked up."""
    resident_mb: float


def play(env: Mapping[str, str], path: Path) -> Answered:
    """Start the mock of a capture, open a conversation, call a tool, and end."""
    return asyncio.run(_play(env, path))


async def _play(env: Mapping[str, str], path: Path) -> Answered:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *measure.inspector("mock", str(path), "--no-delay", "--quiet"),
        env=dict(env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _ask(process, 1, "initialize", _HELLO)
        first = time.perf_counter() - began
        began = time.perf_counter()
        await _ask(process, 2, "tools/call", _CALL)
        return Answered(first, time.perf_counter() - began, measure.resident_mb(process.pid))
    finally:
        await process.communicate(b"")  # its stdin ends, and so does it


async def _ask(process: asyncio.subprocess.Process, id_: int, method: str, params: dict[str, Any]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n")
    while json.loads(await process.stdout.readline()).get("id") != id_:
        pass
