"""`mcp-inspect export`: a capture in the formats of other programs."""

import io
import json
from pathlib import Path

import pytest

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.capture.store.load import load
from inspector.cli.commands.export import command
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from tests.architecture.sources import ROOT
from tests.cli.running import Terminal, inspect

LIGHTHOUSE = str(ROOT / "tests" / "captures" / "lighthouse.mcpcap")


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("har", '{"log":{"version":"1.2"'),
        ("markdown", "# A recorded MCP session\n"),
        ("jsonrpc", '{"jsonrpc":"2.0","id":1,"method":"server/discover"'),
        ("python", '"""The calls of a recorded MCP session'),
        ("html", "<!DOCTYPE html>"),
    ],
)
def test_each_format_goes_to_stdout_or_to_a_file(name: str, begin: str, tmp_path: Path) -> None:
    ran = inspect("export", LIGHTHOUSE, "--to", name).exits(ExitStatus.OK)
    assert ran.stdout.startswith(begin)
    out = tmp_path / "out"
    ran = inspect("export", "--to", name, "-o", str(out), LIGHTHOUSE)
    assert (ran.status, ran.stdout) == (ExitStatus.OK, "")
    assert "not in it: " in ran.stderr
    assert out.read_text().startswith(begin)


def test_export_help_names_every_format() -> None:
    (to,) = (each for each in command.params if each.name == "name")
    assert getattr(to.type, "choices", ()) == ("har", "markdown", "jsonrpc", "curl", "html", "otlp", "python")


def test_a_filter_chooses() -> None:
    ran = inspect("export", LIGHTHOUSE, "--to", "jsonrpc", "--where", "tool == add and kind == request")
    assert [json.loads(line)["params"]["name"] for line in ran.stdout.splitlines()] == ["add"]
    inspect("export", LIGHTHOUSE, "--to", "jsonrpc", "--where", "tool ==").exits(ExitStatus.USAGE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((LIGHTHOUSE, "--to", "curl"), "no HTTP requests"),
        ((LIGHTHOUSE, "--to", "pdf"), "pdf"),
        ((LIGHTHOUSE,), "--to"),
        (("no-such.mcpcap", "--to", "har"), "can't be opened"),
        ((LIGHTHOUSE, "--to", "jsonrpc", "--where", "id == 999999"), "no JSON-RPC messages"),
    ],
)
def test_export_to_an_unwritable_place_is_refused(words: tuple[str, ...], said: str) -> None:
    inspect("export", *words).exits(ExitStatus.USAGE, said)


def test_notes_come_along_on_demand(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    capture.write_bytes(Path(LIGHTHOUSE).read_bytes())
    journal = load(capture)
    NotesFile(capture, journal.head.id).change(lambda notes: notes.marked(2, new_mark(2, text="begins here")))
    journal.close()
    assert "begins here" not in inspect("export", str(capture), "--to", "markdown").stdout
    assert "- entry 2 (yellow): `begins here`" in inspect("export", str(capture), "--to", "markdown", "--notes").stdout
    ran = inspect("export", str(capture), "--to", "jsonrpc", "--notes").exits(ExitStatus.USAGE)
    assert "jsonrpc has no place for notes" in ran.stderr


def test_a_terminal_gets_nothing_that_acts_on_it() -> None:
    env = CliEnv(None, {}, io.StringIO(), Terminal(), io.StringIO())
    Output(env).chunks([b"a\x1b[2J\nb\n"])
    assert env.stdout.getvalue() == "a␛[2J\nb\n"  # type: ignore[attr-defined]
