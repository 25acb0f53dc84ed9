"""Streams of changes, and results that ask."""

from typing import Any

import pytest

from inspector.checks.rules import subscriptions
from tests.checks.both import assert_both, checks_of
from tests.checks.talks import META, Cases, Script, Talk, asked

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
CASES: Cases = {
    "B01": (lambda: _listening().tell(_CHANGED, _of()), lambda: _listening(None, _PROMISED).tell(_CHANGED, _of())),
    "B02": (
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of("2")),
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of(2)),
    ),
    "B03": (
        lambda: _listening(None, _PROMISED).tell("notifications/prompts/list_changed", _of()),
        lambda: _listening(None, _PROMISED).tell(_CHANGED, _of()),
    ),
    "B04": (
        lambda: _listening(None, {"promptsListChanged": True}),
        lambda: _listening(None, {"toolsListChanged": True}),
    ),
    "B05": (
        lambda: _over_http("subscriptions/listen"),
        lambda: _over_http("tools/call"),
    ),
    "B06": (lambda: _listening().answer({}), lambda: _listening().answer(_of())),
    "I01": (
        asked("tools/list", {"resultType": "input_required", "requestState": "s"}, 5),
        asked("tools/call", {"resultType": "input_required", "requestState": "s"}, 5),
    ),
    "I02": (
        asked("tools/call", {"resultType": "input_required"}, 5),
        asked("tools/call", {"resultType": "input_required", "requestState": ""}, 5),
    ),
    "I03": (_question({"a": {"method": "ping"}}), _question(_ROOTS)),
    "I04": (_question(_ROOTS, client={}), _question(_ROOTS)),
}


def _over_http(method: str) -> Talk:
    begun = Talk(5, transport="http").post().ask(method, {"notifications": _PROMISED})
    return begun.head(kind="text/event-stream").tell("notifications/message", {"level": "info", "data": 1})


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(subscriptions)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)
