"""What happens to streams on their way."""

import pytest

from inspector.checks.findings import Confidence
from inspector.protocol.facts import CLIENT_LEFT, CLOSED_HERE
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, initialize

_STREAM = "text/event-stream"


def _slow(*, together: bool, **headers: str) -> Script:
    """A call with four words of progress, spread over four seconds, or all at the end."""

    def talk() -> Talk:
        begun = (
            Talk(4, transport="http")
            .post()
            .ask("tools/call", {"name": "a"}, progressToken=7)
            .head(200, _STREAM, **headers)
        )
        for done in range(1, 5):
            begun.wait(0 if together and done > 1 else 4 if together else 1)
            begun.event(
                b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":%d}}' % done
            )
        return begun.event(b'{"jsonrpc":"2.0","id":2,"result":{"content":[]}}').over()

    return talk


def _idle(*seconds: float, why: str = "") -> Script:
    def talk() -> Talk:
        begun = Talk(4, transport="http")
        for each in seconds:
            begun.post("GET").head(200, _STREAM).wait(each).over(why)
        return begun

    return talk


def _cut(row: int, *, answered: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(row, transport="http").post().ask("ping", id_=9).head(200, _STREAM)
        return (begun.event(b'{"jsonrpc":"2.0","id":9,"result":{}}') if answered else begun).over()

    return talk


def _encoded(encoding: str) -> Script:
    return lambda: Talk(3, transport="http").post().ask("ping").head(200, _STREAM, Content_Encoding=encoding)


def _in(charset: str) -> Script:
    return lambda: Talk(4, transport="http").post().ask("ping").head(200, f"application/json; charset={charset}")


def _asked() -> Talk:
    return Talk(4, transport="http").post().ask("ping", id_=9).head(200, _STREAM)


def _noted(raw: bytes) -> Script:
    """What the stream had begun when it ended; a priming event has no data."""
    return lambda: _asked().note(raw, event=None).over()


def _named(event: str) -> Script:
    return lambda: _asked().event(b'{"jsonrpc":"2.0","id":9,"result":{}}', event=event).over()


def _data(payload: bytes) -> Script:
    return lambda: _asked().event(payload).over()


def _opened_for_events(*, named: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(1, opened=False, transport="sse").post("GET").head(200, _STREAM)
        return (begun.note(b"event: endpoint\ndata: /m", event="endpoint") if named else begun).close("given up")

    return talk


def _get_of(transport: str) -> Script:
    """GET is refused with 400, at the start."""
    return lambda: Talk(4, opened=False, transport=transport).post("GET").head(400).frame(b'{"error":"no session"}')


def _resumed(status: int) -> Script:
    """The stream of a call ends before its response, and is asked for again."""

    def talk() -> Talk:
        begun = _asked().note(b"id: 8f-1", event=None).over().post("GET", Last_Event_ID="8f-1")
        if status != 200:
            return begun.head(status).frame(b'{"error":{"message":"Event not found"}}').over()
        return begun.head(200, _STREAM).event(b'{"jsonrpc":"2.0","id":9,"result":{}}').over()

    return talk


CASES: Cases = {
    "sse-stream-refused": (_get_of("sse"), _get_of("http")),
    "stream-buffered": (_slow(together=True), _slow(together=False)),
    "stream-idle-timeout": (_idle(60.2), _idle(45)),
    "stream-ended-early": (_cut(4, answered=False), _cut(4, answered=True)),
    "stream-not-resumed": (_resumed(400), _resumed(200)),
    "stream-compressed": (_encoded("gzip"), _encoded("identity")),
    "unterminated-event": (_noted(b'data: {"jsonrpc":"2.0","id":9,"result":{}}'), _noted(b"data:")),
    "unknown-event-name": (_named("response"), _named("message")),
    "endpoint-event-missing": (_opened_for_events(named=False), _opened_for_events(named=True)),
    "multiline-event-data": (_data(b"{"), _data(b"{}")),
    "charset-not-utf-8": (_in('"ISO-8859-1"'), _in("UTF-8")),
    "content-type-mismatch": (_noted(b'{"jsonrpc":"2.0","id":9,"result":{}}'), _noted(b"id: 7")),
}


def test_a_proxy_in_the_head_makes_it_likely_that_it_holds_events_back() -> None:
    (found,) = of_one(_slow(together=True, Via="1.1 squid")().findings(), "stream-buffered")
    assert (found.confidence, "squid" in found.sentence) == (Confidence.LIKELY, True)


def test_repeated_stream_timeout_raises_the_confidence() -> None:
    found = of_one(_idle(60, 60.5)().findings(), "stream-idle-timeout")
    assert [each.confidence for each in found] == [Confidence.GUESS, Confidence.LIKELY]


@pytest.mark.parametrize("why", [CLOSED_HERE, CLIENT_LEFT])
def test_a_stream_that_the_client_has_closed_is_no_fault(why: str) -> None:
    assert not of_one(_idle(60, why=why)().findings(), "stream-idle-timeout")
    cut = Talk(4, transport="http").post().ask("ping", id_=9).head(200, _STREAM).over(why)
    assert not of_one(cut.findings(), "stream-ended-early")


def test_events_in_the_place_of_json_are_named_and_json_that_speaks_of_events_is_not() -> None:
    def talk(body: bytes) -> Talk:
        headers = {"Content_Type": "application/json"}
        return Talk(4, transport="http").post().ask("ping", id_=9).head(200, **headers).frame(body).over()

    (found,) = of_one(
        talk(b'event: message\ndata: {"jsonrpc":"2.0","id":9,"result":{}}\n\n').findings(), "content-type-mismatch"
    )
    assert found.sentence == "the response to ping is an event stream, but its Content-Type is application/json"
    assert not of_one(talk(b'{"jsonrpc":"2.0","id":9,"result":{"a":"data: {}"}}').findings(), "content-type-mismatch")


@pytest.mark.parametrize(("row", "severity"), [(2, "warning"), (3, "warning"), (4, "error"), (5, "error")])
def test_a_stream_without_its_response_is_worse_in_newer_protocol_versions(row: int, severity: str) -> None:
    (found,) = of_one(_cut(row, answered=False)().findings(), "stream-ended-early")
    assert found.severity == severity


@pytest.mark.parametrize(("payload", "found"), [(b"/messages/?session_id=7f", 1), (b"hello there", 0), (b"{/}", 0)])
def test_the_first_event_is_a_url_without_the_name_of_an_endpoint(payload: bytes, found: int) -> None:
    talk = Talk(4, opened=False, transport="http").post().ask("initialize", initialize(4)).head(405).over()
    talk.post("GET").head(200, _STREAM).event(payload).close("given up")
    flaws = of_one(talk.findings(), "endpoint-event-missing")
    assert [payload.decode() in each.sentence for each in flaws] == [True]
    assert ("but no name" in flaws[0].sentence) is bool(found)
    assert bool(of_one(talk.findings(), "http-request-rejected")) is not bool(found)


@pytest.mark.parametrize(("status", "seconds", "found"), [(404, 10, 1), (405, 10, 1), (404, 1, 0), (401, 10, 0)])
def test_stream_whose_headers_are_held_back_has_no_endpoint(status: int, seconds: float, found: int) -> None:
    talk = Talk(4, opened=False, transport="http").post().ask("initialize", initialize(4)).head(status).over()
    findings = talk.post("GET").wait(seconds).close("given up").findings()
    assert ["not even its headers" in each.sentence for each in of_one(findings, "endpoint-event-missing")] == [
        True
    ] * found
    assert not of_one(findings, "server-silent")


def test_stream_after_an_answered_post_needs_no_endpoint() -> None:
    talk = Talk(4, opened=False, transport="http").post().ask("initialize", initialize(4)).head(200)
    talk = talk.frame(b'{"jsonrpc":"2.0","id":1,"resault":{}}').over().post("GET").head(200, _STREAM).wait(5)
    assert not of_one(talk.close("given up").findings(), "endpoint-event-missing")
