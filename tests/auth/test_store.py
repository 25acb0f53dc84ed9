"""What is kept of logins between runs."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inspector.auth.store import FILE, TokenStore
from inspector.auth.wishes import Client, Known, Token
from inspector.errors import UsageError

URL = "https://api.example/mcp"
KNOWN = Known(Token("t", "https://as.example", expires_at=5.0, scopes=("a",)), {"https://as.example": Client("me")})


def test_what_was_kept_is_found_by_another_run_under_the_same_address(tmp_path: Path) -> None:
    TokenStore(tmp_path).put(URL, KNOWN)
    assert TokenStore(tmp_path).get("HTTPS://API.example/mcp#x") == KNOWN
    assert TokenStore(tmp_path).get("https://api.example/other") == Known()
    assert TokenStore(tmp_path).servers() == (URL,)


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    place = tmp_path / "new"
    TokenStore(place).put(URL, KNOWN)
    assert stat.S_IMODE((place / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert sorted(os.listdir(place)) == [f".{FILE}.lock", FILE]
    assert stat.S_IMODE((place / f".{FILE}.lock").stat().st_mode) == 0o600


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    store.put(URL, KNOWN)
    assert (store.forget(URL), store.forget(URL)) == (True, False)
    assert b"me" not in (tmp_path / FILE).read_bytes()


def test_a_file_that_can_not_be_read_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff not json")
    store = TokenStore(tmp_path)
    assert store.get(URL) == Known()
    store.put(URL, KNOWN)
    assert store.get(URL) == KNOWN


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    TokenStore(tmp_path).put(URL, KNOWN)
    assert (tmp_path / "elsewhere").read_text() == "{}"
    assert TokenStore(tmp_path).get(URL) == KNOWN


def test_without_a_directory_nothing_is_kept() -> None:
    store = TokenStore(None)
    store.put(URL, KNOWN)
    assert store.get(URL) == Known()


def test_logins_that_are_stored_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    urls = [f"https://host{number}.example/mcp" for number in range(40)]

    def store(part: list[str]) -> None:
        for url in part:
            TokenStore(tmp_path).put(url, KNOWN)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store, [urls[start::4] for start in range(4)]))
    assert {TokenStore(tmp_path).get(url) == KNOWN for url in urls} == {True}


def test_a_login_that_can_not_be_removed_is_an_error_and_one_that_can_not_be_stored_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    TokenStore(tmp_path).put(URL, KNOWN)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inspector.auth.store.replace", full)
    with pytest.raises(UsageError, match=r"can't be removed .*No space left on device"):
        TokenStore(tmp_path).forget(URL)
    TokenStore(tmp_path).put("https://other.example/mcp", KNOWN)
    assert "the login is not stored" in caplog.text
    assert TokenStore(tmp_path).get(URL) == KNOWN
