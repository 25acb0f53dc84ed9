"""One request and what is written of it."""

from inspector.cli.requests import Request
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from tests.cli.running import inspect, scripted


def _exchange(number: int, started: int, ended: int | None) -> Exchange:
    return Exchange(number, Direction.TO_SERVER, number, "m", "", 1, started, ended_ns=ended)


def test_the_duration_is_from_the_first_request_to_the_last_answer() -> None:
    request = Request("m", None, "")
    durations = [request.duration_ns]
    for exchange in (_exchange(1, 10, 20), _exchange(2, 30, 70), _exchange(3, 80, None)):
        request.exchanges.append(exchange)
        durations.append(request.duration_ns)
    assert durations == [None, 10, 60, None]


def test_an_error_that_is_null_is_still_an_error() -> None:
    ran = inspect("read", "a:b", "--json", *scripted({"resources/read": {"error": None}}))
    assert (ran.status, ran.data["result"], ran.data["error"]) == (5, None, None)


def test_a_result_that_is_null_is_no_complete_one() -> None:
    ran = inspect("read", "a:b", "--json", *scripted({"resources/read": {"result": None}}))
    assert (ran.status, ran.data["result"], ran.data["error"]) == (5, None, None)
    assert ran.data["outcome"] == "incomplete result"
