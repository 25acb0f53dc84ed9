"""`mcp-inspect blame`: from a capture to a sentence."""

import json
import sys
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect

PLANTED = str(Path(__file__).parents[2] / "features" / "blame" / "planted.py")


def planted(reason: str) -> tuple[str, ...]:
    return ("--", sys.executable, PLANTED, reason)


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """A session as Codex opens it: it declares no roots, and its requests fail."""
    capture = tmp_path / "fails.mcpcap"
    inspect("list", "tools", "--as", "codex", "--capture", str(capture), *planted("roots"))
    return capture


def test_blame_names_the_member_that_another_client_sends_and_exits_1(failing: Path, tmp_path: Path) -> None:
    ran = inspect(
        "blame", str(failing), "--as", "claude-code", "--pair", str(tmp_path / "pair"), "--json", *planted("roots")
    )
    found = json.loads(ran.stdout)
    assert ran.status == ExitStatus.FINDINGS
    assert [each["label"] for each in found["edits"]] == [
        '`params.capabilities.roots` of initialize is {"listChanged": true}'
    ]
    (message,) = found["messages"]
    assert "roots" not in message["fails"]
    assert "roots" in message["works"]
    assert [Path(each).name for each in found["captures"]] == ["fails.mcpcap", "works.mcpcap"]


def test_blame_of_two_captures_shows_both_messages(failing: Path, tmp_path: Path) -> None:
    works = tmp_path / "works.mcpcap"
    inspect("list", "tools", "--as", "claude-code", "--capture", str(works), *planted("roots"))
    ran = inspect("blame", str(failing), "--works", str(works), *planted("roots"))
    first, fails, now_works = ran.stdout.splitlines()
    assert first.startswith("The server works if `params.capabilities.roots` of initialize is")
    assert fails.strip().startswith('fails  {"jsonrpc"')
    assert now_works.strip().startswith('works  {"jsonrpc"')


def test_blame_where_both_sides_fail_alike_asks_for_a_side_that_works(failing: Path) -> None:
    ran = inspect("blame", str(failing), *planted("roots"))
    assert ran.status == ExitStatus.OK
    assert "Both sides fail alike: tools/list gives error -32000" in ran.stdout
    assert "--works or --as" in ran.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no-such.mcpcap", *planted("roots")), "no such file"),
        ((), "no server to play against"),
        (("--pair", "{here}", *planted("roots")), "fails.mcpcap exists"),
        (("--works", "x.mcpcap", "--as", "codex", *planted("roots")), "both --works and --as"),
    ],
)
def test_blame_with_wrong_words_says_what_is_wrong(failing: Path, words: tuple[str, ...], message: str) -> None:
    argv = words if words and words[0].endswith(".mcpcap") else (str(failing), *words)
    argv = tuple(word.format(here=failing.parent) for word in argv)
    ran = inspect("blame", *argv)
    assert ran.status == ExitStatus.USAGE
    assert message in ran.stderr
