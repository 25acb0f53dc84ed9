"""Options for a server: variables, directory, protocol version, address and timeouts."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.revisions.table import ROWS
from tests.servers.real import ROOT, argv
from tests.stories.commands import PROGRAM, Ran, environment, mcp_inspect, started
from tests.stories.real_targets import named, running
from tests.waiting import PATIENCE_S, until

DEMO = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-m", "inspector.demo")
FAILING = ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-S", "-m", "tests.servers.failing")


def environment_of(ran: Ran) -> Any:
    """What the tool get-env of server-everything says of its environment."""
    assert ran.status == ExitStatus.OK
    return json.loads(ran.json["result"]["content"][0]["text"])


@pytest.mark.real
async def test_a_server_gets_the_few_variables_that_all_clients_give_and_those_that_are_named(tmp_path: Path) -> None:
    ours = {"API_KEY": "s3cret", "COLOUR": "grey"}

    async def given(*words: str) -> tuple[Any, bytes]:
        command = ("call", "get-env", "--json", *words, "--", *argv("everything"))
        ran = await mcp_inspect(*command, place=tmp_path, variables=ours)
        return environment_of(ran), ran.capture.read_bytes()

    few, recorded = await given()
    assert set(few) <= {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
    assert b"s3cret" not in recorded
    named, _ = await given("-e", "API_KEY", "-e", "COLOUR=red", "-e", "EMPTY=")
    assert [named[name] for name in ("API_KEY", "COLOUR", "EMPTY")] == ["s3cret", "red", ""]
    everything, _ = await given("--inherit-env")
    assert everything.items() >= ours.items()


@pytest.mark.real
async def test_a_server_starts_in_the_directory_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "bay").mkdir()
    words = ("call", "list_allowed_directories", "--json", "--cwd", str(tmp_path / "bay"))
    ran = await mcp_inspect(*words, "--", *argv("filesystem"), ".", place=tmp_path)
    assert str(tmp_path / "bay") in ran.json["result"]["content"][0]["text"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.date)
async def test_a_revision_is_pinned_on_the_command_line(row: Revision, tmp_path: Path) -> None:
    ran = await mcp_inspect("info", "--json", "--revision", row.date, *DEMO, place=tmp_path)
    assert (ran.status, ran.json["revision"], ran.json["era"]) == (ExitStatus.OK, row.date, row.era)
    assert ran.seen.probes == frozenset()


@pytest.mark.parametrize("era", ["legacy", "modern", "auto"])
async def test_an_era_is_chosen_on_the_command_line_and_remembered_only_if_it_was_found(
    era: str, tmp_path: Path
) -> None:
    first = await mcp_inspect("info", "--json", "--era", era, *DEMO, place=tmp_path)
    assert first.json["era"] == ("legacy" if era == "legacy" else "modern")
    second = await mcp_inspect("info", "--json", *DEMO, place=tmp_path)
    assert (second.json["era"], second.seen.methods()[0]) == ("modern", "server/discover")


@pytest.mark.real
@pytest.mark.parametrize("name", ["everything-sse", "mcp1-sse"])
async def test_a_url_of_the_old_kind_needs_no_option(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target:
        ran = await mcp_inspect("info", "--json", getattr(target, "url", ""), place=tmp_path)
    assert (ran.status, ran.json["transport"]) == (ExitStatus.OK, "sse")
    assert ran.json["counts"]["tools"] > 0


@pytest.mark.real
async def test_the_older_carriage_cannot_be_stateless(tmp_path: Path) -> None:
    async with running(named("mcp1-sse"), tmp_path) as target:
        words = ("info", "--json", "--transport", "sse", "--era", "modern", getattr(target, "url", ""))
        ran = await mcp_inspect(*words, place=tmp_path)
    assert ran.status == ExitStatus.UNREACHABLE
    assert "no stateless era" in ran.error["message"]


async def test_a_reader_that_has_had_enough_ends_the_command_quietly(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        *(*PROGRAM, "list", "tools", *DEMO),
        env=environment(tmp_path),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    _, told = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode == ExitStatus.BROKEN_PIPE
    assert b"Traceback" not in told
    assert b"Broken" not in told


async def test_ctrl_c_while_a_server_keeps_silent_leaves_with_130(tmp_path: Path) -> None:
    capture = tmp_path / "silent.mcpcap"
    words = ("info", "--json", "--era", "legacy", "--capture", str(capture), *FAILING, "silent")
    async with started(*words, place=tmp_path) as process:
        await until(lambda: capture.exists() and b"initialize" in capture.read_bytes(), "it was asked")
        process.send_signal(signal.SIGINT)
        out, told = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert (process.returncode, out) == (ExitStatus.INTERRUPTED, b"")
    assert b"Traceback" not in told
    assert Ran(ExitStatus.INTERRUPTED, out, told, capture).seen.methods() == ["initialize"]
