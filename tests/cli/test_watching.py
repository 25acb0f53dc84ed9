"""Commands that run again at each change: what they print, and how they end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.watching import _changes, watcher_for, watchers_for
from inspector.config.environment import Environment
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import UsageError
from tests.architecture.sources import ROOT
from tests.waiting import PATIENCE_S, until_sync

CASES = """\
mcp-inspect-cases: 1
cases:
  - name: adds
    request: tools/call
    params: {name: add, arguments: {}}
    expect:
      - at: /result/content/0/text
        equals: "5"
"""


def offer(place: Path, result: str) -> None:
    tool = {"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}}
    (place / "offer.json").write_text(json.dumps({"tools": [tool], "results": {"add": result}}))


class Running:
    """A command in a process of its own, and what it has printed so far."""

    def __init__(self, process: Any, out: Path) -> None:
        self.process = process
        self.out = out

    @property
    def printed(self) -> str:
        return self.out.read_text()

    def prints(self, *words: str) -> None:
        until_sync(lambda: all(word in self.printed for word in words), f"{words} are printed: {self.printed}")

    def ends(self) -> int:
        """Press Ctrl+C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        status: int = self.process.wait(PATIENCE_S)
        return status


@contextmanager
def running(place: Path, *words: str) -> Iterator[Running]:
    server = [sys.executable, str(ROOT / "tests/servers/rewritten.py"), str(place / "offer.json")]
    argv = [sys.executable, "-m", "inspector", *words, "--", *server]
    out = place / "printed"
    with out.open("wb") as file:
        process = subprocess.Popen(  # noqa: TID251 - a command of ours, and not a server
            argv, stdout=file, stderr=subprocess.STDOUT, cwd=place, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
    try:
        yield Running(process, out)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_cases_are_run_again_at_each_change_and_what_is_different_is_printed(tmp_path: Path) -> None:
    offer(tmp_path, "5")
    (tmp_path / "a.cases.yaml").write_text(CASES)
    with running(tmp_path, "test", "a.cases.yaml", "--watch=offer.json") as command:
        command.prints("ok    adds", "1 of 1 as expected", "watching offer.json")
        offer(tmp_path, "6")
        command.prints("offer.json changed", "FAIL  adds", "1 changed since the last run", "- passed", "+ failed: ")
        (tmp_path / "offer.json").write_text("{")
        command.prints("JSONDecodeError")
        offer(tmp_path, "5")
        command.prints("+ passed")
        (tmp_path / "a.cases.yaml").write_text(CASES.replace("name: adds", "name: sums"))
        command.prints("a.cases.yaml changed", "ok    sums")
        offer(tmp_path, "7")
        command.prints("FAIL  sums")
        until_sync(lambda: command.printed.count("; Ctrl+C ends") == 6, "the last of six runs is through")
        assert command.ends() == 1


def test_with_json_each_run_is_one_line(tmp_path: Path) -> None:
    offer(tmp_path, "5")
    with running(tmp_path, "check", "--json", "-q", "--watch=offer.json", "--fail-on", "never") as command:

        def runs() -> list[dict[str, Any]]:
            lines = [line for line in command.printed.splitlines() if line.startswith("{")]
            return [json.loads(line) for line in lines if line.endswith("}")]

        until_sync(lambda: len(runs()) == 1, "the first run")
        (tmp_path / "offer.json").write_text(json.dumps({"tools": [{"name": "add"}], "results": {}}))
        until_sync(lambda: len(runs()) == 2, "the second run")
        first, second = runs()
        assert [first["run"], first["changed"], first["differences"]] == [1, None, {}]
        assert [second["run"], second["changed"]] == [2, "offer.json"]
        assert second["differences"]
        assert second["report"]["findings"]
        assert command.ends() == 0


def test_a_url_needs_a_glob_and_a_command_that_reloads_gives_a_warning(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a GLOB"):
        watcher_for(HttpTarget("http://127.0.0.1/mcp"), ("",))
    target = StdioTarget(("node", "--watch", "a.js"), Environment({}, {}), str(tmp_path))
    (said,) = watcher_for(target, ("",)).problems()
    assert said.startswith("node --watch restarts the server, too")


def test_each_command_is_watched_and_a_url_only_if_it_is_the_main_target(tmp_path: Path) -> None:
    main = HttpTarget("http://127.0.0.1/mcp")
    command = StdioTarget(("python", "server.py"), Environment({}, {}), str(tmp_path))
    watcher = watchers_for(main, ("src/*.py",))
    assert [watcher(each) is not None for each in (main, command, HttpTarget("http://127.0.0.2/mcp"))] == [
        *(True, True),
        False,
    ]
    own = watchers_for(command, ("",))(command)
    assert own is not None
    assert own.shown == "**/*.py"
    with pytest.raises(UsageError, match="needs a GLOB"):
        watchers_for(main, ("",))


def test_how_long_a_server_ran_before_it_ended_is_no_change() -> None:
    before = {"crash": "failed: no answer: the server exited with code 1 after 7.0 s"}
    assert _changes(before, {"crash": "failed: no answer: the server exited with code 1 after 0.3 s"}) == {}
    assert _changes(before, {"crash": "failed: no answer: the server exited with code 2 after 7.0 s"})
