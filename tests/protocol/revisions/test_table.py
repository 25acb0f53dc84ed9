"""The table of revisions: what holds for every row, and how a version string finds its row."""

import pytest

from inspector.protocol.revisions._shape import Carriage, Era, Revision
from inspector.protocol.revisions.table import NEWEST, ROWS, dates, find, is_known, mutual, newest_of, resolve


def test_the_five_revisions_stand_in_order() -> None:
    assert [row.date for row in ROWS] == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    assert [row.era for row in ROWS] == [Era.LEGACY] * 4 + [Era.MODERN]
    assert [row.carriage for row in ROWS] == [Carriage.LEGACY_SSE, *[Carriage.SESSIONS] * 3, Carriage.STATELESS]


def test_revision_table_matches_the_changelogs() -> None:
    assert [row.batches for row in ROWS] == [False, True, False, False, False]
    assert [row.version_header for row in ROWS] == [False, False, True, True, True]
    assert [row.routing_headers for row in ROWS] == [False, False, False, False, True]
    assert [row.resumable for row in ROWS] == [False, True, True, True, False]
    assert [sorted(row.content_types) for row in ROWS[:3]] == [
        ["image", "resource", "text"],
        ["audio", "image", "resource", "text"],
        ["audio", "image", "resource", "resource_link", "text"],
    ]


def test_server_requests_come_with_elicitation_and_tasks_and_go_with_the_handshake() -> None:
    assert ["elicitation/create" in row.server_requests for row in ROWS] == [False, False, True, True, False]
    assert ["tasks/get" in row.server_requests for row in ROWS] == [False, False, False, True, False]
    assert NEWEST.server_requests == frozenset()
    assert "elicitation/create" in NEWEST.input_requests


def test_removed_methods_are_gone_from_the_stateless_revision() -> None:
    gone = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
    assert not gone & NEWEST.client_requests
    assert {"server/discover", "subscriptions/listen"} <= NEWEST.client_requests
    assert "notifications/initialized" not in NEWEST.client_notifications


def test_error_codes_have_the_names_of_their_revision() -> None:
    assert [row.error_names.get(-32002) for row in ROWS] == ["resource not found"] * 4 + [None]
    assert [-32042 in row.error_names for row in ROWS] == [False, False, False, True, False]
    assert NEWEST.error_names[-32022] == "unsupported protocol version"


def test_a_row_states_every_fact() -> None:
    for row in ROWS:
        for fact in Revision.__struct_fields__:
            assert getattr(row, fact) is not None


def test_a_known_string_is_found_by_equality_and_by_nothing_else() -> None:
    assert find("2025-06-18") is ROWS[2]
    assert find("2025-06-19") is None
    assert is_known("2024-11-05")
    assert not is_known("2024-11-5")


@pytest.mark.parametrize(("era", "base"), [(Era.LEGACY, ROWS[3]), (Era.MODERN, ROWS[4]), (None, ROWS[4])])
def test_an_unknown_string_runs_on_the_newest_row_of_its_era(era: Era | None, base: Revision) -> None:
    row, warning = resolve("DRAFT-2027", era)
    assert (row.date, row.carriage, row.era) == ("DRAFT-2027", base.carriage, base.era)
    assert base.date in warning


def test_a_known_string_of_the_other_era_is_a_warning_and_stays_in_the_era_it_was_opened_in() -> None:
    row, warning = resolve("2026-07-28", Era.LEGACY)
    assert (row.date, row.in_header) == (ROWS[3].date, "2026-07-28")
    assert "agreed on by initialize" in warning


def test_the_newest_version_both_have_is_chosen_within_an_era() -> None:
    assert mutual(["2024-11-05", "2025-06-18", "x"], Era.LEGACY) == "2025-06-18"
    assert mutual(["2025-06-18"], Era.MODERN) is None
    assert newest_of(Era.LEGACY) is ROWS[3]
    assert dates(Era.MODERN) == ("2026-07-28",)
    assert len(dates()) == 5
