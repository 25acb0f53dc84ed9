"""`mcp-inspect diff`: two captures, operation by operation."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.captures.record import sample
from tests.cli.running import demo, inspect

LIGHTHOUSE, HARBOUR = str(sample("lighthouse")), str(sample("harbour"))


@pytest.fixture
def changed(tmp_path: Path) -> str:
    """The lighthouse, of which one tool says something else, on other days."""
    text = (
        Path(LIGHTHOUSE).read_text().replace("Tide at Teal Bay", "Tide in Teal Bay").replace("2026-11-21", "2026-11-22")
    )
    (tmp_path / "lighthouse.mcpcap").write_text(text)
    return str(tmp_path / "lighthouse.mcpcap")


def test_a_capture_and_itself_differ_in_nothing() -> None:
    ran = inspect("diff", LIGHTHOUSE, LIGHTHOUSE)
    assert (ran.status, ran.stdout) == (ExitStatus.OK, "No difference: 26 unchanged.\n")


def test_the_summary_comes_first_and_each_difference_with_its_path(changed: str) -> None:
    ran = inspect("diff", LIGHTHOUSE, changed, "--json").exits(ExitStatus.FINDINGS)
    assert ran.data["counts"] == {"same": 25, "different": 1, "only_before": 0, "only_after": 0}
    (operation,) = ran.data["operations"]
    assert (operation["target"], operation["changes"][0]["path"]) == ("image_result", "result.content[0].text")
    told = inspect("diff", LIGHTHOUSE, changed).stdout
    assert told.startswith("25 unchanged, 1 changed.")
    assert '+ "Tide in Teal Bay' in told


def test_rules_on_the_command_line_and_in_a_file_leave_things_out(changed: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('ignore = ["/Tide (at|in)/ => Tide"]')
    for words in (("--rules", str(rules)), ("--ignore", "result.content[*].text"), ("--only", "add")):
        assert inspect("diff", *words, LIGHTHOUSE, changed).status == ExitStatus.OK


def test_diff_of_unlike_captures_lists_both_sides() -> None:
    ran = inspect("diff", LIGHTHOUSE, HARBOUR, "--only", "complex_form", "--only", "initialize")
    assert ran.status == ExitStatus.FINDINGS
    assert "only in lighthouse.mcpcap" in ran.stdout


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((LIGHTHOUSE, "no-such"), "no such file"),
        ((LIGHTHOUSE, __file__), "not a capture"),
        ((LIGHTHOUSE, LIGHTHOUSE, "--ignore", "a b"), "invalid rule"),
        ((LIGHTHOUSE, LIGHTHOUSE, "--exact", "numbers"), "nothing of that name"),
        ((LIGHTHOUSE,), "expected two targets, got 1"),
    ],
)
def test_diff_of_incomparable_arguments_is_refused(argv: tuple[str, ...], said: str) -> None:
    ran = inspect("diff", *argv)
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert said in ran.stderr


def test_a_server_is_compared_in_the_protocol_version_of_the_capture(tmp_path: Path) -> None:
    capture = str(tmp_path / "a.mcpcap")
    assert inspect("info", "--revision", "2025-06-18", "--capture", capture, *demo()).status == ExitStatus.OK
    inspect("diff", capture, *demo()).exits(ExitStatus.OK, "opening with 2025-06-18, the version of")
    inspect("diff", capture, "--era", "modern", *demo()).exits(ExitStatus.FINDINGS)
