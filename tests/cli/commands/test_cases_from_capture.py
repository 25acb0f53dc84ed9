"""`mcp-inspect test --from-capture`: the calls of a capture as cases."""

import shutil
import stat
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.features.cases.file import open_cases
from tests.captures.record import sample
from tests.cli.running import demo, inspect
from tests.features.mock.making import HANDSHAKE, answer, call, record, text

LIGHTHOUSE = str(sample("lighthouse"))


def test_each_call_becomes_a_case_that_its_server_passes(tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    shutil.copy(sample("lighthouse"), capture)
    ran = inspect("test", "--from-capture", str(capture), "--where", "tool in {add, image_result}")
    path = tmp_path / "a.cases.yaml"
    assert (ran.status, str(path) in ran.stderr) == (ExitStatus.OK, True), ran.stderr
    assert {each.params["name"] for each in open_cases(path).cases} == {"add", "image_result"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "results may hold secrets"
    before = path.read_bytes()
    assert (
        inspect("test", "--from-capture", str(capture), "--where", "tool in {add, image_result}").status
        == ExitStatus.OK
    )
    assert path.read_bytes() == before
    inspect("test", str(path), "--era", "legacy", *demo()).exits(ExitStatus.OK)


def test_cases_are_run_with_the_protocol_version_of_their_capture(tmp_path: Path) -> None:
    capture, path = tmp_path / "a.mcpcap", tmp_path / "a.cases.yaml"
    words = ("-a", "a=2", "-a", "b=3", "--revision", "2025-06-18", "--capture", str(capture))
    assert inspect("call", "add", *words, *demo()).status == ExitStatus.OK
    assert inspect("test", "--from-capture", str(capture)).status == ExitStatus.OK
    assert open_cases(path).revision == "2025-06-18"
    inspect("test", str(path), *demo()).exits(ExitStatus.OK, "2025-06-18")
    assert "2026-07-28" in inspect("test", str(path), "--revision", "2026-07-28", *demo()).stderr


def test_cases_of_another_protocol_version_in_one_file_are_warned_of(tmp_path: Path) -> None:
    capture, path = tmp_path / "a.mcpcap", tmp_path / "mine.yaml"
    shutil.copy(sample("lighthouse"), capture)
    path.write_text('mcp-inspect-cases: 1\nrevision: "2024-11-05"\ncases: []\n')
    ran = inspect("test", "--from-capture", str(capture), "--where", "tool == add", "-o", str(path))
    assert ran.status == ExitStatus.OK
    assert "and " + str(path) + " of 2024-11-05: results differ between versions" in ran.stderr


def test_cases_of_an_unknown_protocol_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("mcp-inspect-cases: 1\nrevision: 2025-11-26\ncases: []\n")
    inspect("test", str(path), *demo()).exits(ExitStatus.USAGE, "line 2: revision: '2025-11-26' is no protocol version")


def test_a_call_that_came_to_something_else_later_is_a_case_of_its_own(tmp_path: Path) -> None:
    said = [(call(n, "count"), answer(n, text(words))) for n, words in ((1, "one"), (2, "two"), (3, "one"))]
    capture = record(tmp_path / "a.mcpcap", *HANDSHAKE, *(each for one, two in said for each in (">", one, "<", two)))
    out = tmp_path / "mine.yaml"
    assert inspect("test", "--from-capture", str(capture), "-o", str(out)).status == ExitStatus.OK
    assert [each.name for each in open_cases(out).cases] == ["tools/call count", "tools/call count (2)"]


def test_capture_without_calls_makes_no_cases(tmp_path: Path) -> None:
    capture = record(tmp_path / "a.mcpcap", *HANDSHAKE)
    ran = inspect("test", "--from-capture", str(capture))
    assert (ran.status, [*tmp_path.glob("*.yaml")]) == (ExitStatus.USAGE, [])
    assert "Tool calls, resource reads, prompts and completions with a response can" in ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such",), "no such file"),
        ((LIGHTHOUSE, "--where", "tool == none"), "no request of the capture can become a test case"),
        ((LIGHTHOUSE, "--where", "tool == none"), "mcp-inspect tail FILE lists them"),
        ((LIGHTHOUSE, "--where", "tol == 3"), "did you mean `tool`"),
    ],
)
def test_cases_from_unusable_capture_are_refused(words: tuple[str, ...], said: str) -> None:
    inspect("test", "--from-capture", *words).exits(ExitStatus.USAGE, said)
