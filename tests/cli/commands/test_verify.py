"""`mcp-inspect verify`: in words, in numbers, and by the exit status."""

import fcntl
from pathlib import Path

import pytest

from tests.captures.record import sample
from tests.cli.running import inspect


@pytest.mark.parametrize(
    ("name", "status", "said"), [("handshake", 0, "complete and unchanged"), ("torn", 1, "Partial last line")]
)
def test_verify_reports_the_state_in_words(name: str, status: int, said: str) -> None:
    inspect("verify", str(sample(name))).exits(status).prints(said)


def test_verify_reports_the_state_in_json(tmp_path: Path) -> None:
    data = sample("handshake").read_bytes().splitlines(keepends=True)
    (tmp_path / "x").write_bytes(b"".join([*data[:3], b"rubbish\n", *data[3:]]))
    ran = inspect("verify", str(tmp_path / "x"), "--json").exits(1)
    assert ran.data["state"] == "damaged"
    assert ran.data["first_bad"] == {"line": 4, "byte": sum(map(len, data[:3])), "why": "Line 4 can't be read."}


def test_a_capture_that_grows_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(sample("torn").read_bytes())
    with open(tmp_path / "x", "rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        ran = inspect("verify", str(tmp_path / "x"))
    assert ran.status == 0
    assert "still being recorded" in ran.stdout


def test_a_copy_is_never_called_verified(tmp_path: Path) -> None:
    inspect("share", str(sample("handshake")), "-o", str(tmp_path / "x"))
    ran = inspect("verify", str(tmp_path / "x"))
    assert (ran.status, "original digests cannot be verified" in ran.stdout) == (0, True)


def test_verify_of_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert inspect("verify", str(tmp_path / "none")).status == 2


def test_recover_reports_what_was_saved(tmp_path: Path) -> None:
    out = tmp_path / "y"
    inspect("recover", str(sample("torn")), "-o", str(out)).exits(0).prints("Line 18 is incomplete")
    assert inspect("recover", str(sample("torn")), "-o", str(out)).status == 2
    data = inspect("recover", str(sample("torn")), "-o", str(out), "--force", "--json").data
    assert (data["records"], data["line"], data["partial"]) == (17, 18, True)
    inspect("recover", str(sample("handshake")), "-o", str(tmp_path / "z")).prints("the copy is identical")
