"""Responses whose ids are not those of the requests."""

import pytest

from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.tracking.numbering import ServerNumbering


def requested(numbering: ServerNumbering, id_: RequestId, waiting: list[int], ended: tuple[int, ...] = ()) -> RequestId:
    return numbering.request_id(id_, lambda: waiting, lambda it: it in waiting or it in ended)


def test_request_id_when_the_server_counts_from_0_follows_its_numbers() -> None:
    numbering = ServerNumbering()
    assert requested(numbering, 0, [1]) == 1
    assert requested(numbering, 1, [2], ended=(1,)) == 2
    assert requested(numbering, 3, [3, 4], ended=(1, 2)) == 4


def test_request_id_after_a_new_connection_counts_from_its_first_request() -> None:
    numbering = ServerNumbering()
    assert requested(numbering, 0, [1]) == 1
    numbering.forget()
    assert requested(numbering, 0, [2], ended=(1,)) == 2


@pytest.mark.parametrize("waiting", [[], [1, 2]])
def test_request_id_when_0_fits_no_single_request_stays_0(waiting: list[int]) -> None:
    assert requested(ServerNumbering(), 0, waiting) == 0


def test_request_id_when_0_was_requested_stays_0() -> None:
    numbering = ServerNumbering()
    assert requested(numbering, 0, [0]) == 0
    assert requested(numbering, 0, [1], ended=(0,)) == 0


@pytest.mark.parametrize(
    ("given", "found"), [("1", 1), ("2", "2"), ("١", "١"), ("x", "x"), ("9" * 30, "9" * 30), ("-1", "-1")]
)
def test_request_id_when_it_is_a_string_is_the_integer_of_a_known_request(given: str, found: RequestId) -> None:
    assert requested(ServerNumbering(), given, [1]) == found


def test_request_id_when_ids_were_returned_before_stays_0() -> None:
    numbering = ServerNumbering()
    assert requested(numbering, 1, [1]) == 1
    assert requested(numbering, 0, [2], ended=(1,)) == 0
    assert requested(numbering, 2, [2], ended=(1,)) == 2
