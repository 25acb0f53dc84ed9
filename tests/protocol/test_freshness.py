"""What a server says of the age of its answers, right and wrong."""

from typing import Any

import pytest

from inspector.protocol.freshness import Freshness, read_freshness, together


def test_a_time_and_a_scope_are_read() -> None:
    fresh = read_freshness({"ttlMs": 60_000, "cacheScope": "private"}, 5)
    assert (fresh.ttl_ms, fresh.scope, fresh.flaws, fresh.stale_from_ns) == (60_000, "private", (), 60_000_000_005)


@pytest.mark.parametrize("result", [{}, None, [], {"tools": []}])
def test_freshness_without_members_is_unknown(result: Any) -> None:
    fresh = read_freshness(result, 5)
    assert (fresh.given, fresh.stale_from_ns) == (False, None)


@pytest.mark.parametrize(
    ("ttl", "counts", "flaw"),
    [
        (-5, 0, "ttlMs -5 is negative: it counts as 0"),
        ("60", None, "ttlMs is a string, not a number: '60'"),
        (None, None, "ttlMs is null, not a number"),
        (True, None, "ttlMs is a boolean, not a number"),
        (1.5, None, "ttlMs 1.5 is not an integer"),
        (1e300, None, "ttlMs 1e+300 is too large"),
        pytest.param(10**400, None, "ttlMs of 1329 bits", id="huge"),
        (float("inf"), None, "ttlMs inf is not an integer"),
        (-1e300, 0, "ttlMs -1e+300 is negative: it counts as 0"),
    ],
)
def test_wrong_ttl_is_a_flaw(ttl: Any, counts: int | None, flaw: str) -> None:
    fresh = read_freshness({"ttlMs": ttl}, 5)
    assert fresh.ttl_ms == counts
    assert fresh.flaws[0].startswith(flaw)
    assert fresh.given


@pytest.mark.parametrize(
    ("scope", "flaw"), [("all", "cacheScope is 'all', "), (["public"], "cacheScope is an array, ")]
)
def test_wrong_scope_is_a_flaw(scope: Any, flaw: str) -> None:
    fresh = read_freshness({"cacheScope": scope}, 5)
    assert fresh.scope == ""
    assert fresh.flaws[0].startswith(flaw)


def test_together_keeps_the_first_stale_page() -> None:
    one, other = Freshness(10, 5, "public"), Freshness(20, 3, "public")
    assert together(one, other).ttl_ms == 3
    assert together(one, Freshness(20)).ttl_ms == 5
    assert together(Freshness(20), one).ttl_ms == 5
    assert together(one, Freshness(20, 9, "private")).flaws == ("cacheScope is not the same on all pages",)
