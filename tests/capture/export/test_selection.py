"""What of a capture is exported: what was chosen, without credentials."""

from inspector.capture.export.selection import Selection, is_message
from inspector.capture.load import load
from inspector.protocol.facts import HttpFact
from tests.capture.export.staging import all_of, secretive
from tests.captures.record import sample


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
    journal.close()


def test_what_belongs_to_an_http_exchange_is_found_by_any_part_of_it() -> None:
    journal = secretive()
    (each,) = Selection(journal, [6]).carried()
    assert (each.request, each.response, each.end, each.sent, each.came) == (2, 4, 8, [3], [5, 6, 7])
    assert not list(Selection(journal, [1]).carried())
    journal.close()


def test_a_banner_is_no_message() -> None:
    journal = load(sample("handshake"))
    found = [is_message(frame) for frame in all_of(journal).frames()]
    assert True in found
    assert False in found, "the sample has a banner"
    journal.close()
