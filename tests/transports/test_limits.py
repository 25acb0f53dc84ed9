"""The limits that hold where nobody says otherwise."""

from inspector.protocol.flows.list_all import ITEM_LIMIT, PAGE_LIMIT
from inspector.transports.limits import LIMITS


def test_the_flows_know_the_same_limits() -> None:
    assert (LIMITS.pages, LIMITS.items) == (PAGE_LIMIT, ITEM_LIMIT)


def test_a_message_of_a_hundred_megabytes_is_within_them_and_one_of_a_gigabyte_is_not() -> None:
    assert 100_000_000 < LIMITS.message < 1_000_000_000
