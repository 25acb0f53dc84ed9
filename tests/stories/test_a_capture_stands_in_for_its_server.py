"""A capture of server-everything is played to clients: to ours, and to those of the official packages, in both eras."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.compare.differences import OperationVerdict
from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.features.mock.shared import Serves
from inspector.protocol.jsonrpc import ResultResponse, read
from inspector.protocol.revisions._shape import Era
from tests.servers.real import argv
from tests.stories.commands import environment, started
from tests.stories.real_targets import built, installed, named
from tests.stories.standing_in import ROOT, compared, mock_words, on_stdio, over_http, talk_with_the_pilot, talked
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.real
_CALLER = str(Path(argv.__code__.co_filename).with_name("caller.py"))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A talk with server-everything over stdio, recorded; it runs no more."""
    return asyncio.run(_record("everything-stdio", tmp_path_factory.mktemp("everything")))


@pytest.fixture(scope="module")
def real_answers() -> dict[str, list[Any]]:
    """What the client of each package got of the server itself."""
    return {}


async def _record(name: str, place: Path) -> Path:
    async with installed(named(name), place) as target:
        await talked(target, place / "real.mcpcap")
    return place / "real.mcpcap"


async def test_the_same_talk_with_the_mock_differs_in_nothing(recorded: Path, tmp_path: Path) -> None:
    its_own = tmp_path / "its-own.mcpcap"
    target = on_stdio(recorded, "--strict", "--capture", str(its_own))
    await talked(target, tmp_path / "again.mcpcap")
    found = compared(recorded, tmp_path / "again.mcpcap")
    assert [row for row in found.rows if row.verdict is not OperationVerdict.SAME] == []
    assert len(found.rows) > 20
    assert (verify(its_own).complete, verify(its_own).faults) == (True, ())
    other = [row.method for row in compared(recorded, its_own).rows if row.verdict is not OperationVerdict.SAME]
    assert other == ["server/discover"], "of what the mock records itself nothing says that this one was a probe"


async def test_over_http_a_talk_that_was_recorded_over_http_differs_in_nothing(tmp_path: Path) -> None:
    recorded = await _record("everything-http", tmp_path)
    async with over_http(recorded) as (target, told):
        await talked(target, tmp_path / "again.mcpcap")
    found = compared(recorded, tmp_path / "again.mcpcap")
    assert [row for row in found.rows if row.verdict is not OperationVerdict.SAME] == []
    assert not [line for line in told if "answered with" in line], "the client answered as it did before"
    await _called_at_the_mock(recorded, tmp_path / "own.mcpcap", "mcp2", "legacy", "http")
    _differs_in_nothing_that_was_done(recorded, tmp_path / "own.mcpcap")


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_stateless_client_gets_what_a_handshake_client_got(
    recorded: Path, transport: str, tmp_path: Path
) -> None:
    again = tmp_path / "again.mcpcap"
    if transport == "stdio":
        await talked(on_stdio(recorded, "--era", "both"), again, Era.MODERN)
    else:
        async with over_http(recorded, Serves.BOTH) as (target, _):
            await talked(target, again, Era.MODERN)
    was, now = _results(recorded), _results(again)
    assert set(was) - set(now) == {"initialize", "resources/subscribe"}
    for asked in set(was) & set(now):
        assert [each | _ADDED for each in was[asked]] == [each | _ADDED for each in now[asked]], asked
    assert "question-1" in again.read_text(), "the elicitation came as a result"


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_capture_of_the_stateless_era_is_played_to_clients_of_both(transport: str, tmp_path: Path) -> None:
    recorded, again, old = (tmp_path / f"{name}.mcpcap" for name in ("real", "again", "old"))
    async with installed(built("mcp2", "pilot.py", transport), tmp_path) as target:
        await talked(target, recorded, Era.MODERN, talk_with_the_pilot)
    if transport == "stdio":
        await talked(on_stdio(recorded), again, Era.MODERN, talk_with_the_pilot)
        await talked(on_stdio(recorded), old, Era.LEGACY, talk_with_the_pilot)
    else:
        async with over_http(recorded) as (target, _):
            await talked(target, again, Era.MODERN, talk_with_the_pilot)
            await talked(target, old, Era.LEGACY, talk_with_the_pilot)
    found = compared(recorded, again)
    assert [row for row in found.rows if row.verdict is not OperationVerdict.SAME] == []
    assert sum(row.method == "tools/call" for row in found.rows) == 3
    was, now = _results(recorded), _results(old)
    calls = [asked for asked in was if asked.startswith("tools/call")]
    assert len(calls) == 3
    for asked in calls:
        assert [each["content"] for each in was[asked]] == [each["content"] for each in now[asked]], asked
    assert old.read_text().count('\\"method\\":\\"elicitation/create') == 2, "each by a request of the server's own"


_ADDED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def _results(capture: Path) -> dict[str, list[Any]]:
    """The results of a capture by what was asked; without those that are questions."""
    journal, found = load(capture), dict[str, list[Any]]()
    try:
        for exchange in journal.conversation.exchanges:
            if exchange.sender == "c2s" and exchange.answer_frame and not exchange.asks and not exchange.error_code:
                frame: Any = journal.store.entry(exchange.answer_frame).what
                answer = read(frame.payload)[0]
                assert isinstance(answer, ResultResponse)
                found.setdefault(f"{exchange.method} {exchange.target}".strip(), []).append(answer.result)
    finally:
        journal.close()
    for once in ("resources/subscribe demo://resource/static/document/features.md",):
        if once in found:
            found["resources/subscribe"] = found.pop(once)
    for opening in ("server/discover", "subscriptions/listen"):
        found.pop(opening, None)
    return found


@pytest.mark.parametrize(
    ("package", "mode", "transport"),
    [
        ("mcp1", "legacy", "stdio"),
        ("mcp1", "legacy", "http"),
        ("mcp1", "legacy", "sse"),
        ("mcp2", "legacy", "stdio"),
        ("mcp2", "legacy", "http"),
        ("mcp2", "auto", "stdio"),
        ("mcp2", "auto", "http"),
    ],
)
async def test_a_client_of_an_official_package_can_not_tell_it_from_the_server(
    package: str, mode: str, transport: str, recorded: Path, real_answers: dict[str, list[Any]], tmp_path: Path
) -> None:
    if package not in real_answers:
        real_answers[package], _ = await _called(tmp_path, package, "legacy", "stdio", *argv("everything"))
    real, own = real_answers[package], tmp_path / "own.mcpcap"
    mock, told = await _called_at_the_mock(recorded, own, package, mode, transport)
    assert [name for name, *_ in mock] == [name for name, *_ in real]
    assert mock == real
    assert ("a modern client is served from a capture of a legacy conversation" in told) == (mode == "auto")
    assert (verify(own).complete, verify(own).faults) == (True, ())
    if (mode, transport) == ("legacy", "stdio"):  # what was said by the way on a pipe has its own stream over HTTP
        _differs_in_nothing_that_was_done(recorded, own)


@pytest.mark.parametrize(("package", "mode", "transport"), [("mcp1", "legacy", "http"), ("mcp2", "auto", "stdio")])
async def test_recorded_mock_is_played_again_without_difference(
    package: str, mode: str, transport: str, recorded: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.mcpcap", tmp_path / "second.mcpcap"
    was, _ = await _called_at_the_mock(recorded, first, package, mode, transport)
    now, _ = await _called_at_the_mock(first, second, package, mode, transport)
    assert now == was
    async with started("diff", str(first), str(second), place=tmp_path) as process:
        out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"No difference: ")


def _differs_in_nothing_that_was_done(recorded: Path, own: Path) -> None:
    """What the client of a package did, and what the server said beside, is as it was recorded; the rest is missing."""
    verdicts = Counter(row.verdict for row in compared(recorded, own).rows)
    assert (verdicts[OperationVerdict.DIFFERENT], verdicts[OperationVerdict.ONLY_AFTER]) == (0, 0)
    assert verdicts[OperationVerdict.SAME] > 15


async def _called_at_the_mock(
    capture: Path, own: Path, package: str, mode: str, transport: str
) -> tuple[list[Any], str]:
    """What the client of a package got of a mock, which records that in a file of its own; and what the mock told."""
    place = own.parent
    words = ("--strict", "--capture", str(own), *(("--era", "both") if mode == "auto" else ()))
    if transport == "stdio":
        return await _called(place, package, mode, "stdio", *mock_words(capture, *words))
    async with started("mock", str(capture), "--no-delay", "--http", "0", *words, place=place) as process:
        assert process.stderr is not None
        told = ""
        while "/sse" not in told:
            told += (await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)).decode()
        url = next(word for word in told.split() if word.endswith("/sse" if transport == "sse" else "/mcp"))
        got, _ = await _called(place, package, mode, transport, url)
        process.terminate()
        _, more = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    return got, told + more.decode()


async def _called(place: Path, package: str, *words: str) -> tuple[list[Any], str]:
    """What the client of a package got, and what stood on stderr."""
    command: Sequence[str] = (*argv(package), _CALLER, *words)
    pipe, variables = asyncio.subprocess.PIPE, environment(place) | {"PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=variables)
    try:
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode == 0, err.decode()
    return json.loads(out), err.decode()
