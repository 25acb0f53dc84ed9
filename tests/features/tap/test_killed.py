"""A tap that is killed at any moment: its capture has all that a party has seen, and no end."""

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.capture.format.file import being_written
from inspector.capture.format.verify import recover, verify
from inspector.features.tap import keeping
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.features.tap.tapping import TapProcess, kill, tapped, until
from tests.waiting import PATIENCE_S

_ANSWERS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"pad": "x" * 200}}), flush=True)
"""
_RULES = "- {name: never, action: hold, when: tool == never}\n- {name: odd, action: log, text: odd, when: id ~ 1$}\n"
_WINDOW = 40
"""Requests under way at once."""


def _ids(data: bytes) -> set[int]:
    return {json.loads(line)["id"] for line in data.split(b"\n")[:-1] if line}


def _converse(tap: TapProcess, until_answered: int) -> None:
    sent = 0
    while (answered := tap.stdout.count(b"\n")) < until_answered:
        while sent < answered + _WINDOW:
            sent += 1
            tap.request(sent, "tools/call", name="t", arguments={})
        tap.line(answered)


def _after_kill(tap: TapProcess) -> list[dict[str, Any]]:
    """Kill the tap, and return the records of its capture once the recorder has left it."""
    kill(tap.child.pid)
    tap.ends()

    def is_left() -> bool:
        fd = os.open(tap.capture, os.O_RDONLY)
        try:
            return not being_written(fd)
        finally:
            os.close(fd)

    until(is_left, "the recorder has left the capture")
    lines = [line for part in keeping.parts(tap.capture) for line in part.read_bytes().split(b"\n")]
    return [json.loads(line) for line in lines if line]


def _missing(records: list[dict[str, Any]], seen: set[int]) -> set[int]:
    recorded = {"c2s": set[int](), "s2c": set[int]()}
    for each in records:
        if each["r"] == "frame" and each["eol"] == "lf":
            recorded[each["dir"]].add(json.loads(each["raw"])["id"])
    return seen - (recorded["c2s"] & recorded["s2c"])


def _is_without_end(capture: Path) -> None:
    verdict = verify(capture)
    assert (str(verdict.state), verdict.faults, verdict.partial_bytes) == ("truncated", (), 0)
    copy = capture.with_suffix(".copy.mcpcap")
    done = recover(capture, copy)
    assert (done.complete, done.line, done.not_copied) == (False, None, 0)


def _kill_and_look(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    options: tuple[str, ...] = ()
    if seed % 3 == 1:
        options = ("--keep", "100M")
    elif seed % 3 == 2:
        (tmp_path / "rules.yaml").write_text(_RULES)
        options = ("--rules", str(tmp_path / "rules.yaml"))
    with tapped(tmp_path, sys.executable, "-c", _ANSWERS, options=options) as tap:
        tap.request(0, "tools/call", name="t", arguments={})
        tap.line(0)
        tap.server_pid()
        _converse(tap, chance.randint(1, 2000))
        records = _after_kill(tap)
        seen = _ids(tap.stdout)
        assert len(seen) > 1
        assert _missing(records, seen) == set(), f"seed {seed}"
        assert records[-1]["r"] == "sum" or records[-1]["ev"] == "abort"
        _is_without_end(tap.capture)


@pytest.mark.parametrize("seed", range(6))
def test_a_tap_that_is_killed_loses_no_message_that_the_client_has_seen(tmp_path: Path, seed: int) -> None:
    _kill_and_look(tmp_path, seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6, 56))
def test_fifty_taps_that_are_killed_lose_no_message_that_the_client_has_seen(tmp_path: Path, seed: int) -> None:
    _kill_and_look(tmp_path, seed)


def test_a_tap_that_is_killed_keeps_the_message_that_it_holds(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- {name: wait, action: hold, when: tool == slow, only_this: true}\n")
    with tapped(tmp_path, sys.executable, "-c", _ANSWERS, options=("--rules", str(rules))) as tap:
        tap.request(1, "tools/call", name="t", arguments={})
        tap.line(0)
        tap.request(2, "tools/call", name="slow", arguments={})
        tap.request(3, "tools/call", name="t", arguments={})
        assert tap.line(1)["id"] == 3
        records = _after_kill(tap)
        assert _missing(records, {1, 3}) == set()
        held = next(each for each in records if each.get("fwd") == "held")
        assert json.loads(held["raw"])["id"] == 2
        assert [(each["of"], each["act"]) for each in records if each["r"] == "edit"] == [(held["n"], "hold")]
        _is_without_end(tap.capture)


def test_a_tap_with_two_parts_that_is_killed_has_the_newest_messages(tmp_path: Path) -> None:
    with tapped(tmp_path, sys.executable, "-c", _ANSWERS, options=("--keep", "400k")) as tap:
        _converse(tap, 3000)
        records = _after_kill(tap)
        newest = sorted(_ids(tap.stdout))[-200:]
        assert _missing(records, set(newest)) == set()
        assert records[-1]["r"] != "end"


def test_a_line_that_had_not_ended_is_recorded_when_the_tap_is_killed(tmp_path: Path) -> None:
    code = "import sys; print('Password: ', end='', flush=True); sys.stdin.read()"
    with tapped(tmp_path, sys.executable, "-c", code) as tap:
        tap.read(lambda: tap.stdout, "the prompt arrives")
        tap.server_pid()
        frames = [each for each in _after_kill(tap) if each["r"] == "frame"]
        assert [(each["raw"], each.get("eol")) for each in frames] == [("Password: ", None)]


# The same for `tap http`

_JSON, _STREAM = (("Content-Type", "application/json"),), (("Content-Type", "text/event-stream"),)


async def _answered(request: HttpRequest) -> HttpResponse:
    """Answer in one of three forms: whole, in pieces, as a stream."""
    id_ = json.loads(request.body)["id"]
    body = json.dumps({"jsonrpc": "2.0", "id": id_, "result": {"pad": "x" * 200}}).encode()

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield body[:20]
        await asyncio.sleep(0)
        yield body[20:]

    async def events() -> AsyncGenerator[bytes, None]:
        yield b'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'
        yield b"data: " + body + b"\n\n"

    kinds = (_JSON, body), (_JSON, pieces()), (_STREAM, events())
    return HttpResponse(200, *kinds[id_ % 3])


async def _kill_http_and_look(tmp_path: Path, seed: int) -> None:
    capture, count = tmp_path / "http.mcpcap", random.Random(seed).randint(5, 150)
    words = ["-m", "inspector", "tap", "http", "--json", "--capture", str(capture)]
    words += [("--keep", "100M"), ()][seed % 2]
    seen, env = set[int](), os.environ | {"MCP_INSPECT_HOME": str(tmp_path / "own")}
    async with Listener(_answered) as server, httpx.AsyncClient(timeout=PATIENCE_S) as client:
        argv = [*words, f"{server.url}/mcp"]
        tap = await asyncio.create_subprocess_exec(sys.executable, *argv, stdout=asyncio.subprocess.PIPE, env=env)
        assert tap.stdout is not None
        url = json.loads(await tap.stdout.readline())["url"]
        for id_ in range(count):
            asked = {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "t"}}
            answer = await client.post(url, json=asked)
            assert str(id_) in answer.text
            seen.add(id_)
        kill(tap.pid)
        await tap.wait()
    records = [json.loads(line) for line in capture.read_bytes().split(b"\n")[:-1]]
    answered = [json.loads(each["raw"]) for each in records if each["r"] == "frame"]
    assert seen - {each.get("id") for each in answered if "result" in each} == set(), f"seed {seed}"
    assert seen - {each.get("id") for each in answered if each.get("method") == "tools/call"} == set()
    assert str(verify(capture).state) == "truncated"


@pytest.mark.parametrize("seed", range(2))
async def test_an_http_tap_that_is_killed_loses_no_message_that_the_client_has_seen(tmp_path: Path, seed: int) -> None:
    await _kill_http_and_look(tmp_path, seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(2, 52))
async def test_fifty_http_taps_that_are_killed_lose_no_message_that_the_client_has_seen(
    tmp_path: Path, seed: int
) -> None:
    await _kill_http_and_look(tmp_path, seed)
