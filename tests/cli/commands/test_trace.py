"""`mcp-inspect trace`: one operation of a capture as a page."""

import json
import stat
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.architecture.sources import ROOT
from tests.cli.running import inspect

EVENING = str(ROOT / "tests" / "captures" / "evening.mcpcap")


def test_trace_is_printed_or_written_to_a_new_file(tmp_path: Path) -> None:
    ran = inspect("trace", EVENING, "28").exits(ExitStatus.OK)
    assert ran.stdout.startswith("# `tools/call elicit_steps`\n")
    assert "```mermaid\nsequenceDiagram\n" in ran.stdout
    found = json.loads(inspect("trace", EVENING, "29", "--json").stdout)
    assert [step["part"] for step in found["steps"]] == ["request", *["question", "reply"] * 2, "answer"]
    out = tmp_path / "story.md"
    ran = inspect("trace", EVENING, "28", "-o", str(out))
    assert (ran.status, ran.stdout) == (ExitStatus.OK, "")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    told = out.read_bytes()
    out.write_bytes(b"something else")
    inspect("trace", EVENING, "30", "-o", str(out)).exits(ExitStatus.USAGE, "already exists")
    assert out.read_bytes() == b"something else"
    inspect("trace", EVENING, "30", "-o", str(out), "--force")
    assert out.read_bytes() == told
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["story.md"], "nothing half written is left"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((EVENING, "1"), "does not belong to a request"),
        ((EVENING, "41"), "the capture has 40"),
        (("no-such.mcpcap", "1"), "can't be opened"),
        ((EVENING, "0"), "0"),
        ((EVENING, "28", "-o", "/no/such/place.md"), "can't be written"),
    ],
)
def test_trace_of_an_unusable_entry_is_refused(words: tuple[str, ...], said: str) -> None:
    inspect("trace", *words).exits(ExitStatus.USAGE, said)
