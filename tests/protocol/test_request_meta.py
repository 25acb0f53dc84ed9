"""The levels of log messages."""

import pytest

from inspector.protocol.request_meta import LEVELS, ClientIdentity, rank, stamped
from inspector.protocol.revisions.table import NEWEST, ROWS


def test_a_graver_level_has_a_higher_rank() -> None:
    assert [rank(level) for level in LEVELS] == list(range(8))
    assert rank("debug") == 0
    assert rank("emergency") == 7


@pytest.mark.parametrize("level", ["trace", "WARNING", "", None, 3, True, [], {"level": "info"}])
def test_unknown_log_level_has_no_rank(level: object) -> None:
    assert rank(level) is None


ME = ClientIdentity({"name": "me"}, frozenset({"roots"}))
PREFIX = "io.modelcontextprotocol/"


def test_the_stateless_revision_declares_version_client_and_capabilities() -> None:
    assert stamped(NEWEST, None, ME) == {
        "_meta": {
            f"{PREFIX}protocolVersion": "2026-07-28",
            f"{PREFIX}clientInfo": {"name": "me"},
            f"{PREFIX}clientCapabilities": {"roots": {}},
        }
    }


def test_handshake_revisions_carry_nothing_but_a_progress_token() -> None:
    assert stamped(ROWS[0], None, ME) is None
    assert stamped(ROWS[0], {"name": "a"}, ME) == {"name": "a"}
    assert stamped(None, {"name": "a"}, ME, progress_token=3) == {"name": "a", "_meta": {"progressToken": 3}}


def test_meta_of_the_caller_takes_precedence() -> None:
    found = stamped(NEWEST, {"_meta": {f"{PREFIX}protocolVersion": "x", "mine": 1}}, ME)
    assert found["_meta"][f"{PREFIX}protocolVersion"] == "x"
    assert found["_meta"]["mine"] == 1


def test_params_that_are_no_object_are_sent_as_they_are() -> None:
    assert stamped(NEWEST, [1], ME, progress_token=1) == [1]


def test_log_level_is_in_meta_of_modern_requests_only() -> None:
    assert stamped(NEWEST, None, ME, log_level="info")["_meta"][f"{PREFIX}logLevel"] == "info"
    assert stamped(ROWS[0], None, ME, log_level="info") is None
