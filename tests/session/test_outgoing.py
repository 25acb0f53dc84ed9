"""A request on its way out, and what became of it where no answer came."""

import json

from inspector.protocol.flows.steps import Send
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.protocol.stamp import ClientIdentity
from inspector.session.log_level import LogWish
from inspector.session.outgoing import outgoing, refused
from inspector.transports.base import Delivery, Expects

ME = ClientIdentity({"name": "test", "version": "0"})


def test_a_request_is_stamped_by_its_own_revision_before_the_sessions() -> None:
    made = outgoing(Send("tools/call", {"name": "x"}, revision=NEWEST), 7, ROWS[0], ME, LogWish())
    params = json.loads(made.payload)["params"]
    assert params["_meta"]["io.modelcontextprotocol/protocolVersion"] == NEWEST.date
    assert (made.headers["Mcp-Method"], made.headers["Mcp-Name"]) == ("tools/call", "x")
    assert made.expects is Expects.ANSWER


def test_the_handshake_itself_is_sent_bare_and_opens_the_session() -> None:
    made = outgoing(Send("initialize", {"capabilities": {}}), 0, NEWEST, ME, LogWish())
    assert json.loads(made.payload)["params"] == {"capabilities": {}}
    assert (made.opens_session, dict(made.headers)) == (True, {})


def test_progress_is_asked_for_by_the_requests_own_id() -> None:
    made = outgoing(Send("tools/call", {}, progress=True), 7, ROWS[0], ME, LogWish())
    assert json.loads(made.payload)["params"]["_meta"]["progressToken"] == 7


def test_what_the_carriage_knows_goes_into_the_refusal() -> None:
    delivery = Delivery(False, 200, "text/event-stream", (("A", "b"),), b"body", begun=True)
    reply = refused(None, delivery, "it ended")
    assert (reply.status, reply.content_type, reply.headers, reply.body) == (
        200,
        "text/event-stream",
        (("A", "b"),),
        b"body",
    )
    assert (reply.why, reply.begun) == ("it ended", True)
