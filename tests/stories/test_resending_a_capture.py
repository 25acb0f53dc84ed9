"""The requests of a capture, sent to a live server again: equal responses, or the exact differences."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.cli.exit_status import ExitStatus
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget, Target
from inspector.protocol import capabilities
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import RequestKind, Root
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.scripted import Prepared
from inspector.session.session import Session
from tests.architecture.sources import ROOT
from tests.servers.real import NotInstalled, is_ci
from tests.stories.commands import Ran, mcp_inspect, words_of
from tests.stories.real_targets import Real, named, running

Call = tuple[str, dict[str, Any]]
_LEDGER = str(ROOT / "tests" / "servers" / "ledger.py")
_ANSWERS = (
    Prepared(RequestKind.ELICITATION, "accept", message="rope", content={"metres": 12}),
    Prepared(RequestKind.ELICITATION, "accept"),
    Prepared(RequestKind.SAMPLING, "text", text="Aye"),
)
_EVERYTHING: tuple[Call, ...] = (
    ("echo", {"message": "hello"}),
    ("get-sum", {"a": 2, "b": 3}),
    ("get-sum", {"a": "two"}),
    ("trigger-long-running-operation", {"duration": 0.2, "steps": 4}),
    ("trigger-elicitation-request", {}),
    ("trigger-sampling-request", {"prompt": "hi", "maxTokens": 10}),
    ("get-structured-content", {"location": "Chicago"}),
    ("get-roots-list", {}),
)
_PILOT: tuple[Call, ...] = (("moor", {"ship": "Gull"}), ("advise", {}), ("look_around", {}))


async def _call(session: Session, calls: Sequence[Call]) -> list[Any]:
    return [await session.call("tools/call", {"name": name, "arguments": given}) for name, given in calls]


async def _record(target: Target, path: Path, calls: Sequence[Call], era: Era | None = None) -> Path:
    """A capture of a session in which all of this was asked, and answered by a script."""
    capture = path / "recorded.mcpcap"
    asked = frozenset(capabilities.ALL) - {capabilities.TASKS}
    journal = start_capture(capture)
    settings = Settings(era=era, offers=asked, prepared=_ANSWERS, roots=(Root(path.as_uri(), "place"),))
    try:
        async with open_session(target, journal, settings) as session:
            opening = await session.connect()
            await session.list_all("tools")
            await _call(session, calls)
            for kind in {"resources", "prompts"} & set(opening.capabilities):
                await session.list_all(kind)
    finally:
        journal.close()
    return capture


async def _resend(target: Target, capture: Path, *words: str) -> Ran:
    before, after = words_of(target)
    return await mcp_inspect("resend", "--yes", "--json", *words, str(capture), *before, *after, place=capture.parent)


def _python(*words: str) -> StdioTarget:
    return StdioTarget((sys.executable, *words), build_environment({}, inherit_all=False, set_=()), str(ROOT))


async def _told_again(real: Real, place: Path, calls: Sequence[Call], era: Era | None, *words: str) -> Ran:
    try:
        async with running(real, place) as target:
            capture = await _record(target, place, calls, era)
            return await _resend(target, capture, *words)
    except NotInstalled as error:
        if is_ci():
            pytest.fail(f"{real}: {error}")
        pytest.skip(str(error))


@pytest.mark.real
@pytest.mark.parametrize("name", ["everything-stdio", "everything-http"])
async def test_resent_everything_equals_its_recording(name: str, tmp_path: Path) -> None:
    ran = await _told_again(named(name), tmp_path, _EVERYTHING, None)
    assert ran.json["operations"] == []
    assert (ran.status, ran.json["counts"]["different"], ran.json["skipped"]) == (ExitStatus.OK, 0, []), ran.messages
    assert ran.json["sent"] >= len(_EVERYTHING) + 3
    assert any(b"Favorite Integer: 42" in payload for payload in ran.received())


@pytest.mark.real
@pytest.mark.parametrize(("transport", "era"), [("stdio", Era.MODERN), ("http", Era.MODERN), ("stdio", Era.LEGACY)])
async def test_resent_pilot_equals_its_recording(transport: str, era: Era, tmp_path: Path) -> None:
    pilot_py = str(ROOT / "tests" / "servers" / "real" / "pilot.py")
    words = (pilot_py, transport, *(() if transport == "stdio" else ("{port}",)))
    real = named(f"mcp2-{transport}")
    pilot = Real(real.server, real.transport, real.wishes, era, words, real.path)
    ran = await _told_again(pilot, tmp_path, _PILOT, era, "--allow-destructive", "--era", era)
    assert ran.json["operations"] == []
    assert (ran.status, ran.json["sent"]) == (ExitStatus.OK, 6), ran.messages
    assert any(b"Gull lies at the south quay for 2 nights on 12 m of rope" in payload for payload in ran.received())


async def test_ids_of_another_run_are_carried_and_a_changed_server_shows_exactly_its_changes(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "ledger.mcpcap")
    async with open_session(_python(_LEDGER), journal, Settings(era=Era.LEGACY)) as session:
        await session.connect()
        await session.list_all("tools")
        (opened,) = await _call(session, [("open_account", {})])
        account = opened.reply.message.result["structuredContent"]["account"]
        await _call(
            session,
            [
                ("greet", {}),
                ("deposit", {"account": account, "amount": 5}),
                ("statement", {"uri": f"ledger://accounts/{account}"}),
                ("close_account", {"account": account}),
            ],
        )
    journal.close()
    capture = tmp_path / "ledger.mcpcap"
    again = await _resend(
        _python(_LEDGER),
        capture,
        "--allow-destructive",
        "--era",
        "legacy",
        "--exact",
        "all",
        "--ignore",
        "/[0-9a-f]{12}/ => <account>",
    )
    assert (again.status, again.json["operations"]) == (ExitStatus.OK, []), again.messages
    assert {each["path"] for each in again.json["carried"]} == {"cursor", "arguments.account", "arguments.uri"}
    spared = await _resend(_python(_LEDGER), capture, "--ignore", "/[0-9a-f]{12}/ => <account>")
    assert (spared.status, [each["target"] for each in spared.json["skipped"]]) == (ExitStatus.OK, ["close_account"])
    assert "not sent: tools/call close_account" in spared.messages
    changed = await _resend(_python(_LEDGER, "changed"), capture, "--ignore", "/[0-9a-f]{12}/ => <account>")
    assert changed.status == ExitStatus.FINDINGS
    told = {(each["target"], each["why"]): each["changes"] for each in changed.json["operations"]}
    gone = "the server has no tool 'close_account'"
    assert list(told) == [("", ""), ("greet", ""), ("close_account", gone)]
    assert told["greet", ""] == [{"path": "result.content[0].text", "before": "Good morning", "after": "Good evening"}]
    assert [each["path"] for each in told["", ""]] == ["result.tools.close_account", "result.tools.audit"]
