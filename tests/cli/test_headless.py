"""Sessions of commands: how the server or the user ends them, and what is left behind."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.cli import launch
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, print_failure, visit
from inspector.cli.output import Output
from inspector.config.eras import Eras, process_key
from inspector.config.paths import places
from inspector.errors import ConnectError, UsageError
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Direction
from inspector.session.options import SessionState
from inspector.transports.children import Started
from inspector.transports.http.listener import Listener
from tests.architecture.sources import ROOT
from tests.cli.running import LEGACY, demo, inspect, scripted, server
from tests.entries import frames_to
from tests.servers.faulty.http._healthy import legacy
from tests.servers.faulty.verdicts import hosted
from tests.waiting import PATIENCE_S


def test_dead_server_is_reported_with_its_post_mortem() -> None:
    ran = inspect("info", "--json", *server("dies", "3")).exits(ExitStatus.UNREACHABLE)
    assert ran.stdout == ""
    assert ran.error["code"] == "disconnected"
    assert "exited with code 3" in ran.error["message"]
    card = ran.error["post_mortem"]
    assert card["argv"][1:] == list(server("dies", "3")[2:])
    assert (card["exit_code"], card["signal"], card["stderr"]) == (3, None, ["cannot go on"])
    assert "cannot go on" in ran.stderr.partition("✗")[0]


def test_killed_server_is_reported_with_the_signal() -> None:
    ran = inspect("info", "--json", *server("dies", "SIGKILL"))
    assert (ran.error["post_mortem"]["exit_code"], ran.error["post_mortem"]["signal"]) == (None, "SIGKILL")


def test_server_death_during_a_call_names_the_request_in_flight() -> None:
    ran = inspect("call", "t", "--json", *scripted({"tools/call": "death"})).exits(ExitStatus.UNREACHABLE)
    assert "tools/call" in ran.error["message"]
    assert [each["method"] for each in ran.error["post_mortem"]["in_flight"]] == ["tools/call"]
    assert "going down" in ran.stderr


@pytest.mark.parametrize("code", [-32603, -32700])
def test_call_that_gets_an_error_without_an_id_ends_with_that_reason(code: int) -> None:
    nameless = {"error": {"code": code, "message": "boom"}, "id": None}
    ran = inspect("call", "t", "--json", "--timeout", "50", *scripted({"tools/call": nameless}))
    assert "an error without the id of the request, so other clients wait for their timeout: boom" in ran.stderr
    assert "tools/call was answered with an error without an id: boom" in ran.stderr
    found = inspect("check", "--json", "--call", "t={}", *scripted({"tools/call": nameless})).data
    assert [each["id"] for each in found["findings"] if each["severity"] == "error" and not each["follows_from"]] == [
        "response-id-mismatch"
    ]


def test_a_program_that_is_not_there_is_unreachable() -> None:
    ran = inspect("info", "--json", "--", "no-such-program-anywhere").exits(ExitStatus.UNREACHABLE)
    assert ran.error["code"] == "connect_error"
    assert "no-such-program-anywhere" in ran.error["message"]
    assert ran.error["post_mortem"]["argv"] == ["no-such-program-anywhere"]
    assert ran.error["post_mortem"]["pid"] is None


def test_closed_port_is_unreachable() -> None:
    inspect("info", "--json", "http://127.0.0.1:9/mcp").exits(ExitStatus.UNREACHABLE)


def test_failure_behind_a_forward_proxy_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with hosted(Listener(legacy())) as proxy:  # it refuses foreign hosts by itself
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        ran = inspect("info", "http://portal.invalid/mcp")
    assert f"through the proxy 127.0.0.1:{proxy.port}, which" in ran.stderr


def test_silent_server_runs_into_the_timeout() -> None:
    ran = inspect("info", "--json", "--era", "legacy", "--timeout", "0.2", *server("never_reads"))
    assert ran.status == ExitStatus.TIMEOUT
    assert ran.error["code"] == "request_timeout"
    assert "no response to initialize within 0.2 s" in ran.error["message"]


def test_a_call_that_gets_no_answer_runs_into_either_clock_and_is_cancelled(tmp_path: Path) -> None:
    log = tmp_path / "log"
    silent = scripted({"tools/call": "silence"}, f"log={log}")
    ran = inspect("call", "t", "--json", "--timeout", "0.2", *silent).exits(ExitStatus.TIMEOUT)
    assert "no response to tools/call and no progress for 0.2 s" in ran.error["message"]
    assert '"notifications/cancelled"' in log.read_text()
    ran = inspect("call", "t", "--json", "--max-total", "0.2", *silent)
    assert "no response to tools/call within 0.2 s in total" in ran.error["message"]


def test_progress_winds_the_idle_clock() -> None:
    words = ("-a", "steps=4", "-a", "seconds_per_step=0.25", "--timeout", "0.9", "--json")
    assert inspect("call", "long_running", *words, *demo()).status == 0


def test_an_opening_without_a_version_is_a_fault_of_protocol() -> None:
    ran = inspect("info", "--json", "--era", "legacy", *scripted({"initialize": {"result": {}}}))
    assert ran.status == ExitStatus.PROTOCOL
    assert ran.error["code"] == "remote_protocol_error"


def test_server_version_that_differs_from_the_revision_option_is_a_warning() -> None:
    ran = inspect("info", "--revision", "2024-11-05", *scripted({}))
    assert f"! 2024-11-05 was offered, and the server answered with {LEGACY}" in ran.stderr


def test_noise_on_stdout_does_not_disturb() -> None:
    noisy = {"tools/list": {"raw": 'hello\n{"jsonrpc":"2.0","id":$ID,"result":{"tools":[]}}'}}
    ran = inspect("list", "tools", "--json", *scripted(noisy))
    assert ran.data["tools"] == []
    assert "! stdout had 1 line that is not JSON-RPC: hello; mcp-inspect check shows more" in ran.stderr


def test_session_is_recorded_only_where_requested(tmp_path: Path) -> None:
    capture = tmp_path / "made" / "session.mcpcap"
    assert inspect("info", "--json", "--capture", str(capture), *demo()).status == 0
    journal = load(capture)
    assert "tools/list" in [exchange.method for exchange in journal.conversation.exchanges]
    journal.close()
    assert not places().captures.exists()
    again = inspect("info", "--json", "--capture", str(capture), *demo())
    assert (again.status, again.error["code"]) == (ExitStatus.USAGE, "usage_error")


def test_the_era_is_remembered_unless_it_was_dictated() -> None:
    argv = (sys.executable, "-m", "inspector.demo", "--legacy-only")
    eras = Eras(places().state)
    inspect("info", "--era", "legacy", *demo("--legacy-only"))
    assert eras.get(process_key(argv, Path.cwd())) is None
    inspect("info", *demo("--legacy-only"))
    assert eras.get(process_key(argv, Path.cwd())) == "legacy"


@contextmanager
def _sweeping(capture: Path, home: Path) -> Iterator[Any]:
    """A `call` in a process of its own that waits for a slow tool, which has been called."""
    words = ("-a", "steps=1000", "-a", "seconds_per_step=1", "--json", "--capture", str(capture))
    command = [sys.executable, "-m", "inspector", "call", "long_running", *words, *demo()]
    with subprocess.Popen(  # noqa: TID251 - the program under test
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(home)},
    ) as process:
        try:
            _wait_for(capture, b"notifications/progress")
            yield process
        finally:
            process.kill()


def _wait_for(file: Path, what: bytes, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not (file.exists() and what in file.read_bytes()):
        assert time.monotonic() < end, f"waited in vain until {what!r} was recorded"
        os.sched_yield()


def test_an_interrupt_cancels_what_is_in_flight_and_ends_the_server(tmp_path: Path, home: Path) -> None:
    with _sweeping(tmp_path / "c.mcpcap", home) as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (ExitStatus.INTERRUPTED, "")
    sent = [json.loads(frame.payload)["method"] for frame in frames_to(tmp_path / "c.mcpcap", Direction.TO_SERVER)]
    assert sent[-1] == "notifications/cancelled"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_us_and_the_server(number: signal.Signals, tmp_path: Path, home: Path) -> None:
    with _sweeping(tmp_path / "c.mcpcap", home) as process:
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -number


async def _look_around(visit: CommandSession) -> ExitStatus:
    assert visit.opening.server["name"] == "scripted"
    assert visit.session.state is SessionState.OPEN
    return ExitStatus.FINDINGS


def test_the_work_gets_an_open_session_and_its_status_is_ours() -> None:
    env = CliEnv(scripted({})[1:], os.environ, io.StringIO(), io.StringIO(), io.StringIO())
    assert visit(env, None, _OPTIONS, _look_around) == ExitStatus.FINDINGS


def test_the_server_is_started_before_the_session_and_is_the_one_that_is_used(started: list[Started]) -> None:
    used: list[int] = []

    async def work(visit: CommandSession) -> ExitStatus:
        used.append(visit.session.transport.pid)  # type: ignore[attr-defined]
        return ExitStatus.OK

    env = CliEnv(scripted({})[1:], os.environ, io.StringIO(), io.StringIO(), io.StringIO())
    visit(env, None, _OPTIONS, work)
    assert used == [each.child.pid for each in started]
    assert started[0].child.returncode is not None


def test_a_server_is_ended_if_its_session_can_not_be_made(
    started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise UsageError("no")

    monkeypatch.setattr(launch, "settings_for", fails)
    env = CliEnv(scripted({})[1:], os.environ, io.StringIO(), io.StringIO(), io.StringIO())
    assert visit(env, None, _OPTIONS, _look_around) == ExitStatus.USAGE
    assert started[0].child.returncode == -signal.SIGKILL


_OPTIONS: dict[str, Any] = {
    **dict.fromkeys(("env_file", "cwd", "cacert", "transport", "capture")),
    **dict.fromkeys(("set_", "header"), ()),
    **dict.fromkeys(("inherit_env", "insecure", "as_json"), False),
    "quiet": True,
    "era": "legacy",
    "revision": "",
    "timeout": 20.0,
    "max_total": 0.0,
}


@pytest.fixture
def journal() -> Journal:
    made = start_capture(None)
    made.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/bin/x", "y"), cwd="/"))
    made.fact(ProcessFact(ProcessEvent.SPAWN, 7))
    return made


def _told(
    journal: Journal, why: str = "it is gone", *, hint: str = "Look at it.", **how: bool
) -> tuple[dict[str, Any], str]:
    """What the failure's JSON has, and what a person reads without it."""
    said = [io.StringIO(), io.StringIO()]
    for as_json, stderr in enumerate(said):
        output = Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), stderr), as_json=bool(as_json))
        status = print_failure(output, ConnectError(why, hint=hint), journal, **how)
        assert status is ExitStatus.UNREACHABLE
    told = json.loads(said[1].getvalue().rstrip().rpartition("\n")[2])["error"]
    return told, said[0].getvalue()


def test_dead_server_has_a_card(journal: Journal) -> None:
    journal.fact(Stderr(b"ouch\x1b[2J"))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, signal="SIGSEGV"))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="it went away"))
    more, said = _told(journal)
    card = more["post_mortem"]
    assert isinstance(card, dict)
    assert (card["argv"], card["signal"], card["why"]) == (["/bin/x", "y"], "SIGSEGV", "it went away")
    assert "ouch␛[2J" in said
    assert "/bin/x y" in said


def test_living_server_has_its_last_stderr_lines(journal: Journal) -> None:
    journal.fact(Stderr(b"waiting for the tide"))
    journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    more, said = _told(journal)
    assert (more["stderr"], more["diagnosis"]) == (["waiting for the tide"], [])
    assert "waiting for the tide" in said


def test_silent_server_has_no_stderr_lines(journal: Journal) -> None:
    more, said = _told(journal)
    assert (set(more), more["diagnosis"]) == ({"code", "message", "hint", "diagnosis"}, [])
    assert said == "✗ it is gone\n  → Look at it.\n"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_diagnosis_is_printed_unless_the_command_prints_it(journal: Journal, elsewhere: bool) -> None:
    journal.fact(Stderr(b"Error: ACME_TOKEN is required"))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, code=1))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="it exited with code 1"))
    more, said = _told(journal, judged_elsewhere=elsewhere)
    assert [(each["id"], each["follows_from"]) for each in more["diagnosis"]] == [
        ("environment-variable-missing", None),
        ("exit-during-handshake", "environment-variable-missing"),
    ]
    assert ("✗ ACME_TOKEN is not in the environment" in said) is not elsewhere
    assert ("→ Set it with -e ACME_TOKEN=…" in said) is not elsewhere


@pytest.mark.parametrize(
    ("lines", "adds"), [([b"disk is full"], "last line of stderr: disk is full"), ([], "nothing on")]
)
def test_failure_that_a_diagnosis_begins_with_is_printed_once(journal: Journal, lines: list[bytes], adds: str) -> None:
    why = "the server exited with code 1 after 0.1 s"
    for line in lines:
        journal.fact(Stderr(line))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, code=1))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why))
    more, said = _told(journal, why, hint="")
    assert more["message"] == why
    assert said.count("exited with code 1") == 1
    assert adds in said


@pytest.mark.parametrize("elsewhere", [False, True])
def test_diagnosis_equal_to_the_failure_is_printed_once(elsewhere: bool) -> None:
    journal = start_capture(None)
    why = "`nosuch` is not on the PATH that the server gets; it looked in /bin"
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("nosuch",), cwd="/"))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why))
    more, said = _told(journal, why + ".", judged_elsewhere=elsewhere)
    journal.close()
    assert [each["id"] for each in more["diagnosis"]] == ["command-not-found"]
    assert more["message"] == why + "."
    assert said.count("not on the PATH") == (0 if elsewhere else 1)
    assert said.rpartition("✗ ")[2].startswith("no session was opened" if elsewhere else "`nosuch`")
