"""The search for the decisive difference, on servers that fail for a known one."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.config.environment import Environment
from inspector.config.targets import StdioTarget
from inspector.features.blame.play import ScriptPlayer
from inspector.features.blame.script import ClientScript, Outcome, Step
from inspector.features.blame.search import Blame, BlameEnd, Search

PLANTED = Path(__file__).parent / "planted.py"
FAILED: Outcome = {"initialize": "result", "tools/list": "error -32000"}


def step(message: dict[str, Any], answered: int, **more: Any) -> Step:
    return Step(message["method"], json.dumps(message, separators=(",", ":")).encode(), answered, **more)


def client(ids: tuple[Any, Any], opening: dict[str, Any], listing: dict[str, Any], **more: Any) -> ClientScript:
    """A client that opens a session and lists the tools."""
    first = {"jsonrpc": "2.0", "id": ids[0], "method": "initialize", "params": opening}
    second = {"jsonrpc": "2.0", "id": ids[1], "method": "tools/list"} | listing
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return ClientScript((step(first, 0), step(initialized, 1), step(second, 1)), **more)


def works(**more: Any) -> ClientScript:
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "works", "version": "1"},
    }
    return client((1, 2), opening, {"params": {}}, environment=("PATH", "PLANTED_TOKEN"), **more)


def fails(listing: dict[str, Any] | None = None, **more: Any) -> ClientScript:
    opening = {
        "protocolVersion": "2025-03-26",
        "capabilities": {"sampling": {}},
        "clientInfo": {"name": "fails", "version": "2", "title": "Failing"},
    }
    return client(("a", "b"), opening, listing or {}, environment=("PATH",), **more)


async def blamed(
    reason: str, first: ClientScript, second: ClientScript, recorded: Outcome = FAILED, most_runs: int = 80
) -> Blame:
    values = {"PATH": os.environ["PATH"], "PLANTED_TOKEN": "x"}
    target = StdioTarget((sys.executable, str(PLANTED), reason), Environment(values, {}), str(PLANTED.parent))
    player = ScriptPlayer(target, {}, 10)
    return await Search(player, most_runs).blame(first, second, recorded)


@pytest.mark.parametrize(
    ("reason", "labels"),
    [
        ("roots", ['`capabilities.roots` of initialize is {"listChanged": true}']),
        ("sampling", ["`capabilities.sampling` of initialize is absent"]),
        ("version", ['`protocolVersion` of initialize is "2025-06-18"']),
        ("client-name", ['`clientInfo.name` of initialize is "works"']),
        ("params", ["`params` of tools/list is {}"]),
        ("text-ids", ["the ids of the requests are 1, 2, …"]),
        ("variable", ["the variable PLANTED_TOKEN is set"]),
        ("two-members", ["`clientInfo.title` of initialize is absent", "`params` of tools/list is {}"]),
    ],
)
async def test_blame_names_exactly_what_decides(reason: str, labels: list[str]) -> None:
    found = await blamed(reason, fails(), works())
    assert found.end is BlameEnd.FOUND
    # members of an object that is absent on one side are one difference
    assert [each.label.replace("params.", "") for each in found.edits] == labels
    assert found.fails == {"tools/list": "error -32000"}
    assert found.works == {"tools/list": "2 items: a, b"}


def changed(script: ClientScript, key: str, **values: Any) -> ClientScript:
    """The script with one step replaced."""
    return replace(script, steps=tuple(replace(each, **values) if each.key == key else each for each in script.steps))


LIST = "tools/list"
PING = Step("ping", b'{"jsonrpc":"2.0","id":"p","method":"ping"}', 1)


@pytest.mark.parametrize(
    ("reason", "first", "labels"),
    [
        ("meta", fails({"params": {"_meta": {"x": 1}}}), ["`params` of tools/list is {}"]),
        ("id-zero", client((0, 1), {"protocolVersion": "2025-06-18"}, {}), ["the ids of the requests are 1, 2, …"]),
        ("crlf", changed(fails(), LIST, crlf=True), ["tools/list ends with LF"]),
        (
            "spaces",
            changed(fails(), LIST, payload=b'{"jsonrpc": "2.0", "id": "b", "method": "tools/list"}'),
            ["tools/list is written without spaces"],
        ),
        (
            "order",
            changed(works(), LIST, payload=b'{"id":2,"jsonrpc":"2.0","method":"tools/list","params":{}}'),
            ["the members of tools/list come in another order"],
        ),
        (
            "initialized",
            replace(fails(), steps=(fails().steps[0], fails().steps[2])),
            ["the client sends notifications/initialized before tools/list"],
        ),
        (
            "ping-first",
            replace(fails(), steps=(*fails().steps[:2], PING, fails().steps[2])),
            ["the client does not send ping"],
        ),
    ],
)
async def test_blame_names_what_is_no_member(reason: str, first: ClientScript, labels: list[str]) -> None:
    found = await blamed(reason, first, works())
    assert found.end is BlameEnd.FOUND
    assert [each.label for each in found.edits] == labels


async def test_blame_names_a_pause_only_if_nothing_else_reproduces_the_failure() -> None:
    patient = changed(works(), LIST, pause_s=0.5)
    found = await blamed("pause", works(), patient)
    assert [each.label for each in found.edits] == ["the client waits 0.5 s before tools/list"]


async def test_blame_names_the_directory(tmp_path: Path) -> None:
    for name in ("fails", "works"):
        (tmp_path / name).mkdir()
    first, second = (replace(works(), cwd=str(tmp_path / name)) for name in ("fails", "works"))
    found = await blamed("directory", first, second)
    assert [each.label for each in found.edits] == [f"the server runs in {tmp_path / 'works'}"]


async def test_blame_of_a_healthy_server_names_nothing() -> None:
    found = await blamed("healthy", fails(), works(), {"initialize": "result", "tools/list": "2 items: a, b"})
    assert found.end is BlameEnd.SAME
    assert not found.edits


async def test_blame_of_a_failure_that_does_not_happen_here_says_so() -> None:
    found = await blamed("healthy", fails(), works())
    assert found.end is BlameEnd.NOT_REPRODUCED
    assert found.fails == {"tools/list": "error -32000"}


async def test_blame_of_a_cause_outside_what_is_sent_names_no_difference() -> None:
    found = await blamed("never", fails(), works(), FAILED)
    assert found.end is BlameEnd.SAME


async def test_blame_that_uses_up_its_runs_says_so() -> None:
    found = await blamed("two-members", fails(), works(), most_runs=8)
    assert found.end is BlameEnd.UNFINISHED
    assert found.runs == 8


async def test_blame_of_a_server_that_fails_by_chance_calls_it_flaky(tmp_path: Path) -> None:
    count = tmp_path / "count"
    found = await blamed(f"third:{count}", fails(), works())
    assert found.end is BlameEnd.FLAKY
    assert "tools/list gave" in found.note
