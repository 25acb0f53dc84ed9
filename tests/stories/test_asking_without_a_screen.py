"""Scripts ask real servers: each command with --json over every transport, exit statuses, Ctrl+C and patience."""

import asyncio
import json
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from tests.cli.commands.test_info import MEMBERS
from tests.servers.real import NotInstalled, is_ci
from tests.stories.commands import Ran, mcp_inspect, started, words_of
from tests.stories.real_targets import REAL, Asking, Real, filled_in, named, running
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.real

AT_ONCE = 3
"""Commands that run side by side."""
LISTS = ("tools", "resources", "templates", "prompts")


def commands(real: Real, place: Path) -> dict[str, tuple[str, ...]]:
    """What is asked of a server: a name for it, and the command line without the target."""
    wishes = real.wishes
    asked = {
        "info": ("info", "--json"),
        "all": ("list", "all", "--json"),
        "readable": ("list", "tools"),
        "nested": ("call", wishes.nested.name, *_arguments(wishes.nested, place), "--json"),
        "fails": ("call", wishes.fails.name, *_arguments(wishes.fails, place), "--json"),
        "nobody": ("call", "no-such-tool", "--json"),
    }
    if wishes.resource:
        asked["read"] = ("read", wishes.resource.name, "--json")
        asked["nothing"] = ("read", "nowhere://at/all", "--json")
    if wishes.prompt:
        pairs = [word for key, value in wishes.prompt.arguments.items() for word in ("-a", f"{key}={value}")]
        asked["prompt"] = ("prompt", wishes.prompt.name, *pairs, "--json")
    return asked


def _arguments(asking: Asking, place: Path) -> tuple[str, ...]:
    return ("--args", json.dumps(filled_in(asking.arguments, place)))


async def ask_all(real: Real, place: Path) -> dict[str, Ran]:
    """Run every command, a few at a time. Raises: NotInstalled."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def ask(name: str, words: Iterable[str]) -> Ran:
        here = place / name
        here.mkdir()
        async with turn:
            return await mcp_inspect(*words, *ours, *theirs, place=here)

    async with running(real, place) as target:
        ours, theirs = words_of(target)
        asked = commands(real, place)
        ran = await asyncio.gather(*(ask(name, words) for name, words in asked.items()))
        return dict(zip(asked, ran, strict=True))


@pytest.fixture(scope="session")
def answers() -> dict[Real, dict[str, Ran]]:
    """What was asked so far."""
    return {}


@pytest.fixture(params=REAL, ids=str)
def ran(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, answers: dict[Real, dict[str, Ran]]
) -> dict[str, Ran]:
    """Every command, run with this server."""
    real: Real = request.param
    if real not in answers:
        try:
            answers[real] = asyncio.run(ask_all(real, tmp_path_factory.mktemp(f"asked-{real}")))
        except NotInstalled as error:
            (pytest.fail if is_ci() else pytest.skip)(str(error))
    return answers[real]


def real_of(request: pytest.FixtureRequest) -> Real:
    """The server of a story."""
    real: Real = request.node.callspec.params["ran"]
    return real


def test_info_has_server_and_counts(ran: dict[str, Ran], request: pytest.FixtureRequest) -> None:
    real, about, listed = real_of(request), ran["info"].json, ran["all"].json
    assert ran["info"].status == ExitStatus.OK
    assert list(about) == MEMBERS
    assert (about["revision"], about["era"]) == (newest_of(real.era).date, real.era)
    assert (about["transport"], about["server"]["name"]) == (real.transport, real.wishes.name)
    assert about["counts"]["tools"] == len(listed["tools"]) > 0
    assert {kind: count or 0 for kind, count in about["counts"].items()} == {kind: len(listed[kind]) for kind in LISTS}


def test_list_gives_every_item_as_it_came(ran: dict[str, Ran]) -> None:
    listed, saw = ran["all"], ran["all"].seen
    assert listed.status == ExitStatus.OK
    assert list(listed.json) == ["revision", "era", "server", *LISTS, "lists", "notices"]
    asked = next(each for each in saw.exchanges if each.method == "tools/list")
    tools = msgspec.json.decode(saw.frame(asked.answer_frame).payload, type=_Listed).result.tools
    assert len(tools) == len(listed.json["tools"])
    for item in tools:
        assert bytes(item) in listed.stdout


class _Tools(msgspec.Struct):
    tools: list[msgspec.Raw]


class _Listed(msgspec.Struct):
    result: _Tools


def test_a_person_reads_a_line_for_each_tool(ran: dict[str, Ran]) -> None:
    text = ran["readable"].stdout.decode()
    assert ran["readable"].status == ExitStatus.OK
    for tool in ran["all"].json["tools"]:
        assert tool["name"] in text
    assert "connected to" in ran["readable"].messages


def test_call_gives_the_result_and_what_it_took(ran: dict[str, Ran], request: pytest.FixtureRequest) -> None:
    called, wish = ran["nested"], real_of(request).wishes.nested
    assert (called.status, called.json["error"], called.json["rounds"]) == (ExitStatus.OK, None, 1)
    assert wish.shows in json.dumps(called.json["result"], separators=(",", ":"), ensure_ascii=False)
    tool = next(tool for tool in ran["all"].json["tools"] if tool["name"] == wish.name)
    assert called.json["valid"] is (True if tool.get("outputSchema") else None)
    assert called.json["duration_ms"] > 0


def test_a_tool_that_fails_has_a_status_of_its_own(ran: dict[str, Ran]) -> None:
    failed = ran["fails"]
    assert (failed.status, failed.json["result"]["isError"], failed.json["error"]) == (
        ExitStatus.TOOL_ERROR,
        True,
        None,
    )


def test_a_tool_that_is_not_there_is_called_all_the_same(ran: dict[str, Ran]) -> None:
    nobody = ran["nobody"]
    assert nobody.status == ExitStatus.TOOL_ERROR
    assert nobody.json["error"] or nobody.json["result"]["isError"]
    assert "is not among the" in nobody.messages
    assert nobody.seen.sent("tools/call")[0]["params"]["name"] == "no-such-tool"


def _having(what: str) -> pytest.MarkDecorator:
    reals = [real for real in REAL if getattr(real.wishes, what)]
    return pytest.mark.parametrize("ran", reals, ids=str, indirect=True)


@_having("resource")
def test_read_gives_the_contents(ran: dict[str, Ran], request: pytest.FixtureRequest) -> None:
    read, wish = ran["read"], real_of(request).wishes.resource
    assert (read.status, read.json["error"]) == (ExitStatus.OK, None)
    assert wish is not None
    assert wish.shows in read.json["result"]["contents"][0]["text"]


@_having("resource")
def test_a_resource_that_is_not_there_is_an_error_of_the_server(ran: dict[str, Ran]) -> None:
    nothing = ran["nothing"]
    assert (nothing.status, nothing.json["result"]) == (ExitStatus.TOOL_ERROR, None)
    assert nothing.json["error"]["message"]


@_having("prompt")
def test_prompt_gives_the_messages(ran: dict[str, Ran], request: pytest.FixtureRequest) -> None:
    prompt, wish = ran["prompt"], real_of(request).wishes.prompt
    assert (prompt.status, prompt.json["error"]) == (ExitStatus.OK, None)
    assert wish is not None
    assert wish.shows in json.dumps(prompt.json["result"]["messages"])


def test_recording_of_every_command_is_complete(ran: dict[str, Ran]) -> None:
    for name, each in ran.items():
        assert each.seen.opening is not None, name


ENDLESS = [str(real) for real in REAL if real.wishes.endless]


async def _ended_by(name: str, place: Path, *words: str, with_signal: bool) -> tuple[int, bytes, bytes, Path]:
    """Call what does not end, with these words; interrupt it once it has told how far it is, if that is wanted."""
    real, capture = named(name), place / "endless.mcpcap"
    assert real.wishes.endless is not None
    async with running(real, place) as target:
        ours, theirs = words_of(target)
        call = ("call", real.wishes.endless.name, *_arguments(real.wishes.endless, place))
        async with started(*call, *words, "--capture", str(capture), *ours, *theirs, place=place) as process:
            if with_signal:
                await until(lambda: capture.exists() and b"notifications/progress" in capture.read_bytes(), "progress")
                process.send_signal(signal.SIGINT)
            out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode is not None
        log = place / "server.log"
        if real.wishes.endless.shows and log.exists():
            shows = real.wishes.endless.shows.encode()
            await until(lambda: shows in log.read_bytes(), "the server has noticed")
    return process.returncode, out, err, capture


def _assert_called_off(name: str, ran: Ran) -> Any:
    saw, real = ran.seen, named(name)
    exchange = next(each for each in saw.exchanges if each.method == "tools/call")
    assert exchange.state in (ExchangeState.CANCELLED, ExchangeState.LATE)
    notices = saw.sent("notifications/cancelled")
    if real.transport == "http" and real.era is Era.MODERN:
        assert notices == []
    else:
        assert [notice["params"]["requestId"] for notice in notices] == [exchange.id]


@pytest.mark.parametrize("name", ENDLESS)
async def test_ctrl_c_cancels_and_exits_with_130(name: str, tmp_path: Path) -> None:
    ran = Ran(*await _ended_by(name, tmp_path, with_signal=True))
    assert (ran.status, ran.stdout) == (ExitStatus.INTERRUPTED, b"")
    _assert_called_off(name, ran)


@pytest.mark.parametrize("name", ["mcp1-stdio", "mcp2-stdio", "mcp2-http", "everything-sse"])
async def test_timeout_cancels_and_exits_with_7(name: str, tmp_path: Path) -> None:
    limit = ("--max-total", "3") if name.startswith("everything") else ("--timeout", "3")
    ran = Ran(*await _ended_by(name, tmp_path, *limit, "--json", with_signal=False))
    assert (ran.status, ran.stdout) == (ExitStatus.TIMEOUT, b"")
    assert ran.error["code"] == "request_timeout"
    assert limit[0] in ran.error["hint"]
    _assert_called_off(name, ran)
