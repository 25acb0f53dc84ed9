"""`mcp-inspect import`: what another program recorded, as a capture."""

from pathlib import Path

import pytest

from inspector.cli.commands.import_ import command
from inspector.cli.exit_status import ExitStatus
from tests.architecture.sources import ROOT
from tests.cli.running import inspect

FOREIGN = ROOT / "tests" / "captures" / "foreign"


def test_import_reports_messages_and_losses(tmp_path: Path) -> None:
    file = tmp_path / "a log.txt"
    file.write_bytes((FOREIGN / "claude-desktop.log").read_bytes())
    ran = inspect("verify", str(file))
    assert f"mcp-inspect import '{file}' makes a capture of it" in ran.stderr, "the way is shown where it is missed"
    ran = inspect("import", str(file)).exits(ExitStatus.OK)
    assert "7 messages in 10 entries, from a log of Claude Desktop" in ran.stdout
    assert "  - the exact bytes: messages were serialized again" in ran.stdout
    assert "Left out (1): remarks of Claude Desktop." in ran.stderr
    assert command.name == "import"
    ran = inspect("tail", f"{file}.mcpcap").prints("tools/call")
    assert "what it was made of does not tell the exact bytes" in ran.stderr
    told = inspect("import", str(file), "-o", str(tmp_path / "b.mcpcap"), "--json").data
    assert (told["from"], told["messages"]) == ("claude-desktop", 7)
    assert told["losses"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such.log",), "can't be opened"),
        ((str(FOREIGN / "README.md"), "-o", "/no/such/place"), "is text, but not a capture"),
        ((str(FOREIGN / "vscode.log"), "--from", "pcap"), "unknown format --from 'pcap'"),
        ((str(ROOT / "tests/captures/evening.mcpcap"), "-o", "x"), "is a capture already"),
    ],
)
def test_import_of_an_unreadable_file_is_refused(words: tuple[str, ...], said: str) -> None:
    inspect("import", *words).exits(ExitStatus.USAGE, said)
