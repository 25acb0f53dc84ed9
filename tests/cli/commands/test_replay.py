"""`mcp-inspect replay`: a capture, and nothing else, is opened."""

from pathlib import Path
from unittest import mock

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect


def test_the_interface_opens_on_the_capture(tmp_path: Path) -> None:
    file = tmp_path / "a.mcpcap"
    file.write_text("")
    with mock.patch("inspector.cli.interface.replay", return_value=ExitStatus.OK) as opened:
        assert inspect("replay", str(file), terminal=True).status == 0
    assert opened.call_args.args[1] == file


def test_a_file_that_is_not_there_or_no_terminal_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in inspect("replay", str(tmp_path), terminal=True).stderr
    (tmp_path / "a").write_text("")
    ran = inspect("replay", str(tmp_path / "a"))
    assert ran.status == ExitStatus.USAGE
    assert "the interface needs a terminal" in ran.stderr
