"""An operation as one value: what is asked, what came, and what happened meanwhile."""

from inspector.capture.compare.documents import document, essence
from inspector.capture.compare.normal import Normal
from tests.capture.compare.talk import calls, says, tells, told


def test_what_a_client_adds_to_every_request_is_not_what_it_asks_for() -> None:
    meta = {"progressToken": 1, "io.modelcontextprotocol/clientInfo": {}, "mine": 1}
    assert essence("tools/call", {"name": "a", "_meta": meta}) == {"name": "a", "_meta": {"mine": 1}}
    assert essence("tools/list", {"_meta": {"progressToken": 1}}) is None
    assert essence("initialize", {"clientInfo": {}, "capabilities": {}, "x": 1}) == {"x": 1}
    assert essence("odd", [1]) == [1]


def test_all_parts_stand_under_their_names() -> None:
    (call, open_) = told(
        calls(1, "a", x=1),
        tells("notifications/progress", {"progressToken": 1, "progress": 2}),
        says(1, "ok"),
        calls(2, "b"),
    ).operations
    assert document(call, Normal()) == {
        "params": {"name": "a", "arguments": {"x": 1}},
        "result": {"content": [{"type": "text", "text": "ok"}]},
        "progress": [{"progress": 2}],
    }
    assert document(open_, Normal(), {"params"}) == {"outcome": "pending"}
