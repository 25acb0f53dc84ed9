"""Where logins are kept: the keyring if there is one that is ours to use, else a file."""

import errno
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked

from inspector.auth.steps import AccessToken, Client, StoredLogin
from inspector.auth.storage import FILE, KeyringStore, LoginStorage, TokenStore, choose_store, has_keyring
from inspector.errors import UsageError

URL = "https://api.example/mcp"
KNOWN = StoredLogin(
    AccessToken("s3cret-token", "https://as.example"), {"https://as.example": Client("us", registered=True)}
)


class InMemory(KeyringBackend):
    """A keyring of a test's own."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.asked = 0
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        if self.locked:
            raise KeyringLocked
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[InMemory]:
    before, made = keyring.get_keyring(), InMemory()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_ring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


def test_the_keyring_has_the_login_and_the_file_its_name_alone(ring: InMemory, tmp_path: Path) -> None:
    store = KeyringStore(tmp_path)
    store.put(URL, KNOWN)
    assert KeyringStore(tmp_path).get(URL) == KNOWN
    assert b"s3cret" not in (tmp_path / FILE).read_bytes()
    assert store.servers() == (URL,)
    assert store.forget(URL)
    assert (ring.kept, store.servers(), store.get(URL)) == ({}, (), StoredLogin())


def test_a_server_of_which_nothing_is_kept_has_no_keyring_opened(ring: InMemory, tmp_path: Path) -> None:
    assert KeyringStore(tmp_path).get(URL) == StoredLogin()
    assert ring.asked == 0


def test_a_keyring_that_stays_closed_is_as_one_without_the_login(ring: InMemory, tmp_path: Path) -> None:
    store = KeyringStore(tmp_path)
    store.put(URL, KNOWN)
    ring.locked = True
    assert store.get(URL) == StoredLogin()


def test_keyring_failure_falls_back_to_the_file(ring: InMemory, tmp_path: Path) -> None:
    ring.locked = True
    store = KeyringStore(tmp_path)
    store.put(URL, KNOWN)
    assert store.get(URL) == KNOWN
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("no_ring")
def test_without_a_keyring_a_file_keeps_it(tmp_path: Path) -> None:
    assert not has_keyring()
    store = choose_store(None, tmp_path, is_own_home=False)
    store.put(URL, KNOWN)
    assert TokenStore(tmp_path).get(URL) == KNOWN
    assert "file" in store.place
    with pytest.raises(UsageError, match="no keyring"):
        choose_store(LoginStorage.KEYRING, tmp_path, is_own_home=False)


def test_a_home_of_ones_own_is_not_left_unasked(ring: InMemory, tmp_path: Path) -> None:
    choose_store(None, tmp_path, is_own_home=True).put(URL, KNOWN)
    assert ring.kept == {}
    store = choose_store(LoginStorage.KEYRING, tmp_path, is_own_home=True)
    store.put(URL, KNOWN)
    assert len(ring.kept) == 1
    assert "keyring" in store.place


def test_store_none_keeps_nothing(tmp_path: Path) -> None:
    store = choose_store(LoginStorage.NONE, tmp_path, is_own_home=False)
    store.put(URL, KNOWN)
    assert (store.get(URL), list(tmp_path.glob("*.json")), store.place) == (StoredLogin(), [], "nowhere")


STORE_KNOWN = StoredLogin(
    AccessToken("t", "https://as.example", expires_at=5.0, scopes=("a",)), {"https://as.example": Client("me")}
)


def test_stored_login_is_found_under_a_normalized_url(tmp_path: Path) -> None:
    TokenStore(tmp_path).put(URL, STORE_KNOWN)
    assert TokenStore(tmp_path).get("HTTPS://API.example/mcp#x") == STORE_KNOWN
    assert TokenStore(tmp_path).get("https://api.example/other") == StoredLogin()
    assert TokenStore(tmp_path).servers() == (URL,)


def test_token_file_is_private(tmp_path: Path) -> None:
    place = tmp_path / "new"
    TokenStore(place).put(URL, STORE_KNOWN)
    assert stat.S_IMODE((place / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert sorted(os.listdir(place)) == [f".{FILE}.lock", FILE]
    assert stat.S_IMODE((place / f".{FILE}.lock").stat().st_mode) == 0o600


def test_forgotten_login_is_removed_from_the_file(tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    store.put(URL, STORE_KNOWN)
    assert (store.forget(URL), store.forget(URL)) == (True, False)
    assert b"me" not in (tmp_path / FILE).read_bytes()


def test_a_file_that_can_not_be_read_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff not json")
    store = TokenStore(tmp_path)
    assert store.get(URL) == StoredLogin()
    store.put(URL, STORE_KNOWN)
    assert store.get(URL) == STORE_KNOWN


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    TokenStore(tmp_path).put(URL, STORE_KNOWN)
    assert (tmp_path / "elsewhere").read_text() == "{}"
    assert TokenStore(tmp_path).get(URL) == STORE_KNOWN


def test_without_a_directory_nothing_is_kept() -> None:
    store = TokenStore(None)
    store.put(URL, STORE_KNOWN)
    assert store.get(URL) == StoredLogin()


def test_logins_that_are_stored_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    urls = [f"https://host{number}.example/mcp" for number in range(40)]

    def store(part: list[str]) -> None:
        for url in part:
            TokenStore(tmp_path).put(url, STORE_KNOWN)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store, [urls[start::4] for start in range(4)]))
    assert {TokenStore(tmp_path).get(url) == STORE_KNOWN for url in urls} == {True}


def test_a_login_that_can_not_be_removed_is_an_error_and_one_that_can_not_be_stored_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    TokenStore(tmp_path).put(URL, STORE_KNOWN)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("inspector.auth.storage.replace", full)
    with pytest.raises(UsageError, match=r"can't be removed .*No space left on device"):
        TokenStore(tmp_path).forget(URL)
    TokenStore(tmp_path).put("https://other.example/mcp", STORE_KNOWN)
    assert "the login is not stored" in caplog.text
    assert TokenStore(tmp_path).get(URL) == STORE_KNOWN
