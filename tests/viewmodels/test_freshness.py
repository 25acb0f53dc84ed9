"""How old an answer is, in words."""

import pytest

from inspector.protocol.freshness import Freshness
from inspector.viewmodels.freshness import age_facts, age_line, text_of
from inspector.viewmodels.lines import plain

S = 1_000_000_000


def test_what_is_fresh_says_for_how_long_it_was_said_to_be() -> None:
    fresh = Freshness(0, 60_000, "private")
    assert plain(age_line(fresh, 12 * S)) == "fetched 12 s ago, server says fresh for 60 s, private"


def test_with_a_clock_it_changes_only_when_it_goes_stale() -> None:
    fresh = Freshness(5 * S, 60_000, "private")
    told = [plain(age_line(fresh, now * S, lambda ns: f"at {ns // S}")) for now in (5, 12, 64, 65, 3600)]
    before, after = "fetched at 5, said fresh for 60 s, private", "fetched at 5, stale since at 65, private"
    assert told == [before, before, before, after, after]


def test_what_is_stale_says_since_when() -> None:
    line = age_line(Freshness(0, 60_000), 63 * S)
    assert plain(line) == "fetched 63 s ago, stale since 3 s"
    assert ("warning" in {role for _, role in line}) is True


def test_without_a_word_of_the_servers_only_the_age_is_known() -> None:
    assert plain(age_line(Freshness(5 * S), 5 * S)) == "fetched 0 s ago"


def test_what_is_wrong_comes_first() -> None:
    line = age_line(Freshness(0, None, "", ("ttlMs is a string, not a number: '\x1b[31m'",)), S)
    assert plain(line).startswith("▲ ttlMs is a string, not a number: '")
    assert "\x1b" not in plain(line)
    facts = age_facts(Freshness(0, 0, "", ("ttlMs -5 is negative: it counts as 0",)), S)
    assert [(each.key, each.value) for each in facts] == [
        ("age", "fetched 1 s ago, stale since 1 s"),
        ("wrong", "ttlMs -5 is negative: it counts as 0"),
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (0.25, "250 ms"), (99, "99 s"), (125, "2m 05s"), (86_400 * 400, "400 days")]
)
def test_times_are_told_no_finer_than_somebody_reads_them(seconds: float, words: str) -> None:
    assert text_of(int(seconds * S)) == words
