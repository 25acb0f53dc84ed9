"""Files of other programs in the place of a capture: every command that takes one takes them, too."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.architecture.sources import ROOT
from tests.cli.running import inspect

FOREIGN = ROOT / "tests" / "captures" / "foreign"
_ORIGIN = "a log of mcpsnoop; "


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """What mcpsnoop recorded."""
    path = tmp_path / "snooped.jsonl"
    path.write_bytes((FOREIGN / "mcpsnoop.jsonl").read_bytes())
    return path


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("tail", "FILE"), ExitStatus.OK, "tools/call"),
        (("check", "FILE", "--fail-on", "never"), ExitStatus.OK, ""),
        (("trace", "FILE", "6"), ExitStatus.OK, "# "),
        (("export", "FILE", "--to", "jsonrpc"), ExitStatus.OK, '"method":"tools/call"'),
        (("export", "FILE", "--to", "har"), ExitStatus.OK, '"version":"1.2"'),
        (("diff", "FILE", "FILE"), ExitStatus.OK, ""),
        (("lock", "FILE"), ExitStatus.OK, '"capabilities"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_commands_read_a_foreign_file_and_report_losses(
    words: tuple[str, ...], status: ExitStatus, said: str, file: Path
) -> None:
    ran = inspect(*(str(file) if word == "FILE" else word for word in words))
    assert (ran.status, ran.stderr if ran.status else "") == (status, "")
    assert said in ran.stdout
    assert _ORIGIN in ran.stderr


def test_a_copy_without_secrets_is_a_capture_and_cases_stand_beside_the_file(file: Path, tmp_path: Path) -> None:
    inspect("share", str(file), "-o", str(tmp_path / "out.mcpcap")).exits(ExitStatus.OK)
    assert "tools/call" in inspect("tail", str(tmp_path / "out.mcpcap")).stdout
    inspect("test", "--from-capture", str(file)).exits(ExitStatus.OK)
    assert (tmp_path / "snooped.jsonl.cases.yaml").exists()


@pytest.mark.parametrize("command", ["verify", "recover"])
def test_commands_about_the_file_advise_import(command: str, file: Path, tmp_path: Path) -> None:
    more = ("-o", str(tmp_path / "out.mcpcap")) if command == "recover" else ()
    inspect(command, str(file), *more).exits(ExitStatus.USAGE, f"mcp-inspect import {file} makes a capture of it")
