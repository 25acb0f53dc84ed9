"""The opening of a conversation without `server/discover`."""

from inspector.protocol.tracking.opening import OpeningTracker, declared_revision
from tests.protocol.wire import S2C, Wire, meta


def test_a_stateless_conversation_without_discover_is_known_by_its_results() -> None:
    wire = Wire()
    wire.ask(1, "tools/list", meta())
    wire.answer(
        1, {"resultType": "complete", "tools": [], "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "m"}}}
    )
    opening = wire.conversation.opening
    assert opening is not None
    assert (opening.revision.date, opening.server) == ("2026-07-28", {"name": "m"})


def test_handshake_probe_does_not_change_the_opening() -> None:
    wire = Wire()
    wire.ask(1, "tools/list", meta())
    wire.answer(1, {"resultType": "complete", "tools": []})
    wire.ask(2, "initialize", {"protocolVersion": "2025-11-25"}, probe=True)
    wire.answer(2, {"protocolVersion": "2025-11-25", "capabilities": {}})
    opening = wire.conversation.opening
    assert opening is not None
    assert opening.revision.date == "2026-07-28"


def test_a_discovery_that_is_answered_after_the_handshake_changes_nothing() -> None:
    wire = Wire()
    wire.ask(1, "server/discover", meta(), probe=True)
    wire.ask(2, "initialize", {"protocolVersion": "2025-11-25"})
    wire.answer(2, {"protocolVersion": "2025-11-25", "capabilities": {}})
    wire.answer(1, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}})
    opening = wire.conversation.opening
    assert opening is not None
    assert opening.revision.date == "2025-11-25"
    wire.ask(3, "server/discover", meta())
    wire.answer(3, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}})
    opening = wire.conversation.opening
    assert opening is not None
    assert opening.revision.date == "2026-07-28", "one that is asked afterwards does"


def test_a_result_without_a_result_type_proves_nothing() -> None:
    wire = Wire()
    wire.ask(1, "tools/list", meta())
    wire.answer(1, {"tools": []})
    assert wire.conversation.opening is None


def test_a_servers_own_request_settles_nothing() -> None:
    wire = Wire()
    wire.ask(1, "initialize", {"protocolVersion": "x"}, direction=S2C)
    wire.answer(1, {"protocolVersion": "x"}, direction=wire.frames[0].direction.TO_SERVER)
    assert wire.conversation.opening is None


def test_the_revision_a_request_declares_is_read_from_its_meta() -> None:
    assert declared_revision(meta("2031-01-01")) == "2031-01-01"
    assert declared_revision({"_meta": {"io.modelcontextprotocol/protocolVersion": 7}}) is None
    assert OpeningTracker().revision is None
