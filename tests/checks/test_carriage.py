"""What HTTP teaches the scene."""

import pytest

from inspector.checks.carriage import is_loopback, value_of
from inspector.checks.inspection import Inspection
from inspector.checks.scene import HttpLife
from inspector.protocol.facts import HttpEvent, HttpFact
from tests.checks.talks import Talk

_ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{}}'


def _scene(talk: Talk) -> Inspection:
    inspection = Inspection()
    inspection.take(talk.entries)
    return inspection


def test_a_stream_knows_what_came_on_it_and_when_it_was_answered() -> None:
    talk = Talk(4, transport="http").post().ask("ping").head(kind="text/event-stream").note(id="1", retry=5)
    life = _scene(talk.event(_ANSWER % 2, id="2")).scene.http[1]
    assert (life.events, life.has_ids, life.was_primed, life.retry) == (1, True, True, 5)
    assert life.answered_ns == talk.now


def test_refusals_sessions_and_documents_are_remembered() -> None:
    talk = Talk(4, transport="http").post().ask("ping").head(200, Mcp_Session_Id="s").answer({})
    talk.post().ask("ping").head(401, WWW_Authenticate="Bearer").over()
    talk.fetch("https://a/.well-known/x", b'{"a":1}').fetch("https://a/.well-known/y", None, 404)
    scene = _scene(talk).scene
    assert scene.mcp_session_id == "s"
    assert [each[1:] for each in scene.login.refusals] == [(401, "Bearer")]
    assert [(each.url[-1], each.value) for each in scene.login.tried] == [("x", {"a": 1}), ("y", None)]


@pytest.mark.parametrize("document", [None, b"", b"[1]", b"<html>", b"\xff", b"{" * 5000])
def test_a_document_that_is_no_object_is_none(document: bytes | None) -> None:
    life = HttpLife(response=HttpFact(HttpEvent.RESPONSE, 1, status=200))
    assert value_of(life, HttpFact(HttpEvent.END, 1, document=document)) is None


def test_addresses_of_this_machine_are_known() -> None:
    near = ["http://localhost:1/x", "http://127.0.0.1", "https://[::1]:8/", "http://a.localhost"]
    far = ["http://localhost.evil.example", "https://10.0.0.1", "http://[", "null", ""]
    assert all(map(is_loopback, near))
    assert not any(map(is_loopback, far))
