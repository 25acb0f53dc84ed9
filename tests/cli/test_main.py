"""The program as a whole: help, unknown commands, stdout and stderr, and internal errors."""

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import click
import pytest

from inspector import __version__
from inspector.cli.command_group import commands
from inspector.cli.exit_status import ExitStatus
from inspector.cli.main import run
from tests.architecture.sources import ROOT
from tests.cli.running import demo, inspect
from tests.waiting import PATIENCE_S

_NAMES = commands.list_commands(click.Context(commands))
_USAGE_ERRORS = [row.partition("\t") for row in (ROOT / "tests/cli/usage_errors.tsv").read_text().splitlines()[1:]]
_TOO_LONG = "no such" if sys.version_info >= (3, 14) else "name too long"  # pathlib tells no reason there


def test_help_has_examples_first_and_the_exit_codes_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect("--help").status == 0
    said = capsys.readouterr().out
    assert said.index("mcp-inspect demo") < said.index("stdio") < said.index("Exit status:")
    assert all(f"\n  {int(status):<4} " in said for status in ExitStatus)
    assert all(f"\n  {name} " in said for name in _NAMES)


@pytest.mark.parametrize("name", _NAMES)
def test_the_help_of_a_command_fits_a_screen_and_begins_with_examples(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert inspect(name, "-h").status == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("  mcp-inspect ")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 88


def test_version_option_prints_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect("--version").status == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        *((shlex.split(line), said.replace("\\n", "\n")) for line, _, said in _USAGE_ERRORS),
        (("check", __file__), f"after --: -- python {__file__}"),
        (("list", "tools", __file__), f"after --: -- python {__file__}"),
        (("info", "--cwd", "/" + "a" * 300, "--", "x"), _TOO_LONG),
        (("info", "--cacert", "/" + "a" * 300, "http://h/mcp"), _TOO_LONG),
        (("roots", "--root", "/" + "a" * 300), _TOO_LONG),
    ],
)
def test_a_word_that_is_wrong_or_of_no_use_is_refused(argv: Sequence[str], said: str) -> None:
    ran = inspect(*argv).exits(ExitStatus.USAGE)
    assert said.lower() in ran.stderr.lower()
    assert ran.stdout == ""


def test_usage_error_is_json_with_json_option() -> None:
    ran = inspect("info", "--json")
    assert ran.error["code"] == "usage_error"
    assert ran.error["message"] == "no server named"
    assert ran.error["diagnosis"] == []


def test_the_json_of_the_servers_command_is_not_ours() -> None:
    assert not inspect("--", "no-such-program", "--json").stderr.rstrip().endswith("}")


def test_options_stand_before_and_behind_the_command_and_its_words() -> None:
    first = inspect("--json", "-q", "list", "prompts", *demo()).data
    assert first == inspect("list", "-q", "prompts", "--json", *demo()).data
    assert first["prompts"]


def test_a_mistake_of_ours_is_shown_with_its_traceback_and_without_what_acts() -> None:
    with mock.patch("inspector.cli.main.take_apart", side_effect=ZeroDivisionError("\x1b[2Joops")):
        ran = inspect("info")
    assert ran.status == ExitStatus.MISTAKE
    assert "ZeroDivisionError" in ran.stderr
    assert "␛[2Joops" in ran.stderr


def test_a_reader_that_had_enough_ends_us_quietly() -> None:
    command = [sys.executable, "-c", _CLOSED_STDOUT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (141, "")


_CLOSED_STDOUT = """
import os, sys
from inspector.__main__ import main
reading, writing = os.pipe()
os.close(reading)
os.dup2(writing, 1)
sys.exit(main(["revisions"]))
"""


def test_an_interrupt_before_anything_happened_is_an_interrupt() -> None:
    with mock.patch("inspector.cli.main.take_apart", side_effect=KeyboardInterrupt):
        assert run(["info"]) == ExitStatus.INTERRUPTED


def test_output_is_flushed_at_exit() -> None:
    code = (
        "import atexit, threading\n"
        "from unittest import mock\n"
        "from inspector import __main__ as program\n"
        "class Large:\n"
        "    def __del__(self): print('freed')\n"
        "kept = Large()\n"
        "atexit.register(print, 'at the end')\n"
        "threading.Thread(target=threading.Event().wait).start()\n"
        "with mock.patch.object(program, 'run', lambda argv: print('shown', end=' ') or 7):\n"
        "    program.main()\n"
        "print('never')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout) == (7, b"shown at the end\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("run", "says"),
    [
        ("lambda argv: print('shown') or 0", ""),
        ("program.run", "✗ the output can't be written: No space left on device\n"),
    ],
)
def test_output_that_can_not_be_written_is_no_success(run: str, says: str) -> None:
    code = f"""
import sys
from unittest import mock
from inspector import __main__ as program
sys.argv[1:] = ["revisions"]
with mock.patch.object(program, "run", {run}): program.main()
"""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([sys.executable, "-E", "-c", code], cwd=ROOT, stdout=full, stderr=-1, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stderr.decode()) == (2, says)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_standard_stream_that_is_closed_is_as_one_that_goes_nowhere(closed: int) -> None:
    words = ["sh", "-c", f'exec "$@" {closed}>&-', "sh", sys.executable, "-m", "inspector", "revisions"]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stderr, bool(ended.stdout)) == (0, b"", closed != 1)
