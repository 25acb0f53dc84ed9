"""An HTTP exchange that somebody wrote down, as facts and frames."""

from inspector.capture.import_.http_items import Recorded, events, is_rpc, items
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Frame


def test_it_is_told_in_its_order_at_its_times() -> None:
    stream = (("content-type", "text/event-stream"),)
    each = Recorded(
        "POST", "http://x/", sent=b"a", status=200, headers=stream, came=b"data: b\n\n", began_ns=5, lasted_ns=9
    )
    found = list(items(each, 3))
    kinds = [item.what.event if isinstance(item.what, HttpFact) else "frame" for item in found]
    assert kinds == [HttpEvent.REQUEST, "frame", HttpEvent.RESPONSE, "frame", HttpEvent.END]
    assert [item.wall_ns for item in found] == [5, 5, 5, 14, 14]
    assert all(item.what.http == 3 for item in found if isinstance(item.what, Frame))
    failed = list(items(Recorded("GET", "http://x/", error="refused"), 1))
    assert isinstance(failed[-1].what, HttpFact)
    assert failed[-1].what.event is HttpEvent.ERROR


def test_events_are_taken_apart() -> None:
    body = b": hi\r\n\r\nevent: message\r\nid: 7\r\ndata: a\r\ndata: b\r\n\r\nretry: 9\r\ndata:c"
    (one, its), (other, late) = events(body)
    assert (one, its.event, its.id) == (b"a\nb", "message", "7")
    assert (other, late.retry) == (b"c", 9)


def test_what_carries_json_rpc() -> None:
    assert is_rpc(b'{"jsonrpc":"2.0","method":"a"}')
    assert not is_rpc(b'{"jsonrpc"')
    assert not is_rpc(b"{}")
    assert Recorded("DELETE", "http://x/", sent_headers=(("Mcp-Session-Id", "s"),)).is_mcp
