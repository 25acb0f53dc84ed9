"""Where an export goes: nowhere half, never over a file."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.export.selection import Selection, is_message, to_file
from inspector.protocol.facts import HttpFact
from tests.captures.record import sample
from tests.features.export.staging import all_of, secretive


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    out = place / "out"

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise ValueError

    with pytest.raises(ValueError):
        to_file(out, failing())
    assert list(place.iterdir()) == []
    assert to_file(out, [b"a", b"bc"]) == 3
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="already exists"):
        to_file(out, [b"x"])
    to_file(out, [b"x"], overwrite=True)
    assert out.read_bytes() == b"x"
    with pytest.raises(UsageError, match="can't be written"):
        to_file(tmp_path / "no" / "place", [b"x"])


def test_credentials_are_masked_in_facts_and_only_there() -> None:
    journal = secretive()
    masked, whole = all_of(journal), all_of(journal, keep_secrets=True)
    fact = masked.http_fact(2)
    assert isinstance(fact, HttpFact)
    told = dict(fact.headers)
    assert told["Authorization"].startswith("Bearer ••••••")
    assert told["Mcp-Session-Id"].startswith("••••••")
    assert told["X-Plain"] == "it's"
    assert "urlsecret" not in fact.target
    assert "urlsecret" not in str(masked.connection)
    assert "ghp_headersecret" in str(whole.http_fact(2))
    assert masked.entry(3) == whole.entry(3), "a message is left alone"


def test_http_exchange_is_selected_by_any_of_its_parts() -> None:
    journal = secretive()
    (each,) = Selection(journal, [6]).carried()
    assert (each.request, each.response, each.end, each.sent, each.received) == (2, 4, 8, [3], [5, 6, 7])
    assert not list(Selection(journal, [1]).carried())


def test_a_banner_is_no_message() -> None:
    journal = load(sample("handshake"))
    found = [is_message(frame) for frame in all_of(journal).frames()]
    assert True in found
    assert False in found, "the sample has a banner"
