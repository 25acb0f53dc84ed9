"""Credentials are not written: by the names of headers and parameters, and nothing else is touched."""

from pathlib import Path

import pytest

from inspector.capture.format.redact import redacted
from inspector.capture.format.verify import verify
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.protocol.credentials import MASK, is_credential, mask, without_credentials
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, Stderr
from inspector.protocol.frames import Channel, Direction

TOKEN = "eyJhbGciOi.s3cret.xyz"
URL = f"https://ann:pw@api.example/mcp?api_key={TOKEN}&page=2"
REQUEST = HttpFact(
    HttpEvent.REQUEST,
    1,
    method="POST",
    target=URL,
    headers=(("Authorization", f"Bearer {TOKEN}"), ("X-Api-Key", TOKEN), ("Mcp-Session-Id", "s1"), ("Accept", "*/*")),
)


@pytest.mark.parametrize(
    "name", ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth", "My-Token", "jwt"]
)
def test_headers_that_give_access_are_known_by_their_names(name: str) -> None:
    assert is_credential(name)


@pytest.mark.parametrize("name", ["WWW-Authenticate", "Mcp-Session-Id", "Accept", "X-Author", "Content-Type", "DPoP"])
def test_others_are_left_as_they_are(name: str) -> None:
    assert not is_credential(name)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("Bearer abc", f"Bearer {MASK} (3 characters)"),
        ("abc", f"{MASK} (3 characters)"),
        ("", ""),
        (f"Bearer {MASK} (3 characters)", f"Bearer {MASK} (3 characters)"),
    ],
)
def test_the_scheme_and_the_length_stay_and_a_mask_is_not_masked(value: str, masked: str) -> None:
    assert mask(value) == masked


def test_urls_lose_what_gives_access_and_keep_the_rest() -> None:
    assert without_credentials(URL) == f"https://{MASK}@api.example/mcp?api_key={MASK}&page=2"
    plain = "https://api.example/messages?session_id=7&q=1"
    assert without_credentials(plain) == plain


def test_redacted_returns_the_same_object_without_credentials() -> None:
    for fact in (
        HttpFact(HttpEvent.END, 1),
        Stderr(b"token=x"),
        ConnectionFact(ConnectionEvent.OPEN, "http", url="http://a/"),
    ):
        assert redacted(fact) is fact


def test_a_redirect_is_written_without_its_code() -> None:
    came = HttpFact(HttpEvent.RESPONSE, 1, status=302, headers=(("Location", "https://a/cb?code=c0de&state=s"),))
    found = redacted(came)
    assert isinstance(found, HttpFact)
    assert found.headers == (("Location", f"https://a/cb?code={MASK}&state=s"),)


def test_the_file_has_none_and_what_is_in_memory_has_all(tmp_path: Path) -> None:
    path = tmp_path / "a.mcpcap"
    journal = start_capture(path)
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=URL))
    journal.fact(REQUEST)
    journal.frame(Direction.TO_SERVER, Channel.POST, b'{"token":"in a message"}', http=1)
    assert journal.store.entry(2).what == REQUEST
    assert journal.http_exchanges[1].request == REQUEST
    journal.close()
    written = path.read_bytes()
    assert b"s3cret" not in written
    assert b"in a message" in written
    assert b'"redaction":{"policy":"credentials","on":"write"}' in written
    verdict = verify(path)
    assert (verdict.complete, verdict.faults, verdict.covered) == (True, (), 1)


def test_a_capture_that_is_read_again_shows_masks(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    journal.fact(REQUEST)
    journal.close()
    again = load(tmp_path / "a.mcpcap")
    request = again.http_exchanges[1].request
    again.close()
    assert request is not None
    assert dict(request.headers)["Authorization"] == f"Bearer {MASK} ({len(TOKEN)} characters)"
    assert dict(request.headers)["Mcp-Session-Id"] == "s1"


def test_keep_secrets_writes_credentials(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap", keep_secrets=True)
    journal.fact(REQUEST)
    journal.close()
    assert TOKEN.encode() in (tmp_path / "a.mcpcap").read_bytes()


def test_redaction_of_old_entries_hides_credentials() -> None:
    journal = start_capture(None)
    for _ in range(2500):
        journal.fact(REQUEST)
    newest, oldest = journal.store.entry(2500).what, journal.store.entry(1).what
    journal.close()
    assert newest == REQUEST
    assert isinstance(oldest, HttpFact)
    assert TOKEN not in oldest.target
