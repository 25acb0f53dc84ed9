"""Rounds of questions."""

import base64
from typing import Any

import pytest

from inspector.protocol.facts import CLIENT_LEFT
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import encode
from tests.checks.both import of_one
from tests.checks.talks import META, Cases, Script, Talk, asked, ids

_ASKS = {"name": {"method": "roots/list"}}
_CALL = {"name": "a", "arguments": {"b": 1}}


def _asking(state: str) -> Script:
    return lambda: Talk(5).ask("tools/call", _CALL).answer({"resultType": "input_required", "requestState": state})


def _again(answer: Any, times: int = 1, then: Any = _ASKS) -> Script:
    """A call is answered with a question, retried with an answer, and answered with another one."""

    def script() -> Talk:
        talk = Talk(5).ask("tools/call", _CALL).answer({"resultType": "input_required", "inputRequests": _ASKS})
        for _ in range(times):
            _retry(talk, answer).answer({"resultType": "input_required", "inputRequests": then})
        return talk

    return script


def _retry(talk: Talk, answer: Any) -> Talk:
    return talk.ask("tools/call", _CALL | {"inputResponses": {"name": answer}})


def _packed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


CASES: Cases = {
    "request-state-unsigned": (_asking('{"step":2}'), _asking('{"step":2,"sig":"c2ln"}')),
    "input-required-loop": (_again({"roots": []}), _again({"roots": []}, then={"other": {"method": "roots/list"}})),
}


@pytest.mark.parametrize("state", ["opaque", "", "12", _packed("[1]"), f"{_packed('{}')}.{_packed('{}')}.c2ln", "e30="])
def test_unreadable_request_state_is_no_finding(state: str) -> None:
    assert "request-state-unsigned" not in ids(_asking(state)())


def test_a_state_may_be_readable_as_base64() -> None:
    assert "request-state-unsigned" in ids(_asking(_packed('{"user":"me"}'))())


def test_declined_input_may_be_requested_again() -> None:
    assert "input-required-loop" not in ids(_again({"action": "decline"})())


def test_input_required_loop_is_found_once() -> None:
    found = of_one(_again({"action": "decline"}, times=12)().findings(), "input-required-loop")
    assert [each.sentence for each in found] == ["tools/call returned input_required 11 times"]


def test_new_call_resets_the_count_of_rounds() -> None:
    talk = Talk(5)
    for _ in range(12):
        talk.ask("tools/call", _CALL).answer({"resultType": "input_required", "inputRequests": _ASKS})
        _retry(talk, {"roots": []}).answer({"content": [{"type": "text", "text": "done"}]})
    assert "input-required-loop" not in ids(talk)


_SUBSCRIPTION = META + "subscriptionId"
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_CHANGED = "notifications/tools/list_changed"


def _listening(wanted: object = None, acknowledged: object = None) -> Talk:
    wanted = wanted or {"toolsListChanged": True}
    begun = Talk(5).ask("subscriptions/listen", {"notifications": wanted})
    return begun if acknowledged is None else begun.tell(_ACKNOWLEDGED, _of(notifications=acknowledged))


def _of(id_: object = 2, **more: object) -> dict[str, object]:
    return {"_meta": {_SUBSCRIPTION: id_}, **more}


def _question(requests: object, **how: Any) -> Script:
    return asked("tools/call", {"resultType": "input_required", "inputRequests": requests}, 5, **how)


_ROOTS = {"a": {"method": "roots/list"}}
_PROMISED = {"toolsListChanged": True}
SUBSCRIPTIONS_CASES: Cases = {
    "acknowledgment-not-first": (
        lambda: _listening().tell(_CHANGED, _of()),
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of()),
    ),
    "subscription-id-missing": (
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of("2")),
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of(2)),
    ),
    "unrequested-change": (
        lambda: _listening(None, _PROMISED).tell("notifications/prompts/list_changed", _of()),
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of()),
    ),
    "acknowledgment-exceeds-request": (
        lambda: _listening(None, {"promptsListChanged": True}),
        lambda: _listening(None, {"toolsListChanged": True}),
    ),
    "message-on-subscription-stream": (lambda: _over_http("subscriptions/listen"), lambda: _over_http("tools/call")),
    "subscription-ended-silently": (
        lambda: _streaming().over(),
        lambda: _streaming().answer(_of(), channel=Channel.SSE).over(),
    ),
    "subscription-not-acknowledged": (
        lambda: _over_http_asked().head().answer(_of()),
        lambda: _listening(None, _PROMISED).answer(_of()),
    ),
    "change-outside-subscription": (lambda: Talk(5).tell(_CHANGED), lambda: _listening(None, _PROMISED).tell(_CHANGED)),
    "input-required-not-allowed": (
        asked("tools/list", {"resultType": "input_required", "requestState": "s"}, 5),
        asked("tools/call", {"resultType": "input_required", "requestState": "s"}, 5),
    ),
    "input-required-empty": (
        asked("tools/call", {"resultType": "input_required"}, 5),
        asked("tools/call", {"resultType": "input_required", "requestState": ""}, 5),
    ),
    "unknown-input-request": (_question({"a": {"method": "ping"}}), _question(_ROOTS)),
    "input-request-undeclared": (_question(_ROOTS, client={}), _question(_ROOTS)),
}


def _over_http_asked() -> Talk:
    return Talk(5, transport="http").post().ask("subscriptions/listen", {"notifications": _PROMISED})


def _streaming() -> Talk:
    begun = _over_http_asked().head(kind="text/event-stream")
    return begun.event(encode({"jsonrpc": "2.0", "method": _ACKNOWLEDGED, "params": _of(notifications=_PROMISED)}))


def _over_http(method: str) -> Talk:
    begun = Talk(5, transport="http").post().ask(method, {"notifications": _PROMISED})
    return begun.head(kind="text/event-stream").tell(
        "notifications/message", {"level": "info", "data": 1}, channel=Channel.SSE
    )


def test_the_end_of_a_listen_names_it() -> None:
    assert "subscription-id-missing" in ids(_listening().answer({}))
    assert "subscription-id-missing" not in ids(_listening().answer(_of()))


def _given_up_after(seconds: float, *before: str) -> Talk:
    talk = Talk(5).ask("subscriptions/listen", {"notifications": _PROMISED}, id_=7)
    for method in before:
        talk.tell(method, {"requestId": 7} if method == "notifications/cancelled" else _of(7, notifications=_PROMISED))
    return talk.wait(seconds).inform("notifications/cancelled", {"requestId": 7}).wait(60).close()


def test_over_stdio_a_subscription_without_an_acknowledgement_for_seconds_is_named() -> None:
    found = of_one(_given_up_after(5).findings(), "subscription-not-acknowledged")
    assert [each.sentence for each in found] == ["subscriptions/listen was not acknowledged in 5 s"]


@pytest.mark.parametrize(
    "talk", [_given_up_after(1), _given_up_after(5, _ACKNOWLEDGED), _given_up_after(5, "notifications/cancelled")]
)
def test_over_stdio_a_subscription_that_was_acknowledged_or_soon_ended_is_not_named(talk: Talk) -> None:
    assert "subscription-not-acknowledged" not in ids(talk)


def test_a_stream_of_changes_that_this_side_closes_needs_no_word() -> None:
    assert "subscription-ended-silently" not in ids(_streaming().over(CLIENT_LEFT))


def test_change_outside_subscription_is_found_without_a_listener() -> None:
    talk = _streaming().post().ask("tools/call", {"name": "a"}).head(kind="text/event-stream")
    assert "change-outside-subscription" in ids(
        talk.event(encode({"jsonrpc": "2.0", "method": _CHANGED, "params": _of()}))
    )
