"""Calls of earlier sessions: bounded, private, without credentials, and whole whatever happens to their files."""

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.config import history
from inspector.config.history import StoredCall, StoredCalls, matching
from inspector.errors import UsageError
from inspector.protocol.credentials import MASK, has_masked
from tests.architecture.sources import ROOT

_KEY = "abc123"


def _call(number: int, **arguments: object) -> StoredCall:
    return StoredCall(number, "tools/call", {"name": f"t{number}", "arguments": arguments}, "ok", 1.5, "server")


def test_calls_of_a_server_are_read_again_newest_first_and_only_by_their_owner(tmp_path: Path) -> None:
    calls = StoredCalls(tmp_path / "state")
    assert calls.of(_KEY) == []
    assert all(calls.add(_KEY, _call(n, a=n)) for n in range(3))
    assert calls.add("other", _call(9))
    assert [(call.time_ns, call.target) for call in calls.of(_KEY)] == [(2, "t2"), (1, "t1"), (0, "t0")]
    assert [call.time_ns for call in calls.every()] == [9, 2, 1, 0]
    for path in (tmp_path / "state" / "calls").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_credentials_are_not_written(tmp_path: Path) -> None:
    calls = StoredCalls(tmp_path)
    arguments = {
        "api_key": "sk-12345",
        "url": "https://me:pw@x.test/?access_token=abcdef",
        "password": 12345,
        "maxTokens": 5,
        "nested": [{"token": ["t1t1t1t1"]}],
        "text": "with hunter22 inside",
        "note": "send ghp_0123456789abcdefghijABCDEFGHIJ012345 or Bearer abc123def456, url http://a@b:c0rner@h/",
    }
    assert calls.add(_KEY, _call(1, **arguments), ["hunter22"])
    raw = next(tmp_path.glob("calls/*.jsonl")).read_text()
    assert not any(
        secret in raw
        for secret in ("sk-12345", "pw@", "abcdef", "12345", "t1t1", "hunter22", "ghp_", "abc123", "c0rner")
    )
    (call,) = calls.of(_KEY)
    assert call.params["arguments"]["maxTokens"] == 5
    assert call.params["arguments"]["text"] == f"with {MASK} inside"
    assert has_masked(call.params)
    assert not has_masked({"a": ["b", 1]})


def test_a_file_stays_bounded_and_keeps_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_BYTES", 4000)
    monkeypatch.setattr(history, "MOST_CALLS", 8)
    calls = StoredCalls(tmp_path)
    for number in range(300):
        assert calls.add(_KEY, _call(number, text="x" * 50))
        assert next(tmp_path.glob("calls/*.jsonl")).stat().st_size <= 4000 + 300
    found = [call.time_ns for call in calls.of(_KEY)]
    assert found == [*range(299, 299 - len(found), -1)]
    assert 5 <= len(found) <= 8


def test_the_servers_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_BYTES", 10)
    monkeypatch.setattr(history, "MOST_SERVERS", 3)
    calls = StoredCalls(tmp_path)
    for number in range(6):
        calls.add(f"k{number}", _call(number))
        os.utime(tmp_path / "calls" / f"k{number}.jsonl", (number, number))
    assert len([*tmp_path.glob("calls/*.jsonl")]) <= 4


def test_arguments_that_are_too_large_are_left_out(tmp_path: Path) -> None:
    calls = StoredCalls(tmp_path)
    assert calls.add(_KEY, _call(1, text="x" * 100_000))
    (call,) = calls.of(_KEY)
    assert (call.is_cut, call.params, call.target) == (True, {"name": "t1"}, "t1")


@pytest.mark.parametrize(
    "damage", [b'{"time_ns": 5, "meth', b"\xff\xfe\n", b"null\n", b"[]\n\n\n", b"{" * 5000 + b"\n"]
)
def test_damage_costs_the_line_that_is_damaged(tmp_path: Path, damage: bytes) -> None:
    calls = StoredCalls(tmp_path)
    calls.add(_KEY, _call(1))
    with next(tmp_path.glob("calls/*.jsonl")).open("ab") as file:
        file.write(damage)
    assert calls.add(_KEY, _call(2))
    assert [call.time_ns for call in calls.of(_KEY)] == [2, 1]


_WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from inspector.config import history
from inspector.config.history import StoredCall, StoredCalls
history.MOST_BYTES = 20_000
calls = StoredCalls(Path(sys.argv[1]))
for n in range(150):
    assert calls.add("abc123", StoredCall(n, "tools/call", {"name": sys.argv[2], "arguments": {"text": "x" * 100}}))
"""


def test_two_programs_write_at_a_time_and_no_line_is_torn(tmp_path: Path) -> None:
    def write(name: str) -> int:
        return subprocess.run(
            [sys.executable, "-c", _WRITER, str(tmp_path), name], cwd=ROOT, timeout=60, check=False
        ).returncode

    with ThreadPoolExecutor() as threads:
        assert [*threads.map(write, ("one", "two"))] == [0, 0]
    lines = next(tmp_path.glob("calls/*.jsonl")).read_bytes().splitlines()
    assert len([json.loads(line) for line in lines]) == len(StoredCalls(tmp_path).of(_KEY))
    for name in ("one", "two"):
        numbers = [call.time_ns for call in StoredCalls(tmp_path).of(_KEY) if call.target == name]
        assert numbers == sorted(numbers, reverse=True)


def test_unwritable_history_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "calls").write_text("a file")
    calls = StoredCalls(tmp_path)
    assert not calls.add(_KEY, _call(1))
    assert calls.of(_KEY) == calls.every() == []
    assert calls.clear() == 0
    assert not StoredCalls(tmp_path / "b").add(_KEY, StoredCall(1, "x", {"a": object()}))
    assert not StoredCalls(tmp_path / "c", on=False).add(_KEY, _call(1))
    assert not (tmp_path / "c").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    calls = StoredCalls(tmp_path)
    calls.add("other", _call(1))
    (tmp_path / "calls" / f"{_KEY}.jsonl").symlink_to(tmp_path / "elsewhere")
    assert not calls.add(_KEY, _call(1))
    assert not (tmp_path / "elsewhere").exists()


def test_calls_are_searched_and_cleared(tmp_path: Path) -> None:
    calls = StoredCalls(tmp_path)
    for number in range(3):
        calls.add(_KEY, _call(number, city="Paris" if number else "Rome"))
    assert [call.time_ns for call in matching(calls.every(), "PARIS t2")] == [2]
    assert len(matching(calls.every(), "")) == 3
    assert calls.clear(_KEY) == 3
    assert calls.every() == []


def test_a_history_that_cannot_be_removed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = StoredCalls(tmp_path)
    calls.add(_KEY, _call(1))

    def refuse(path: Path, *, missing_ok: bool) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(UsageError, match="can't be removed: Permission denied"):
        calls.clear()
