"""Members of foreign objects: each is what it should be, or nothing."""

import pytest

from inspector.capture.import_.members import Members, first_members, members, moment


@pytest.mark.parametrize(
    ("given", "wall_ns"),
    [
        ("1970-01-01T00:00:01Z", 10**9),
        ("1970-01-01T01:00:01.5+01:00", 1_500_000_000),
        ("1970-01-01T00:00:00.123456789Z", 123_456_789),
        (1.5, 1_500_000_000),
        (1_777_716_000_250, 1_777_716_000_250_000_000),
        ("yesterday", None),
        ("", None),
        (True, None),
        (None, None),
        (float("inf"), None),
        (float("nan"), None),
        ("9999-99-99T00:00:00Z", None),
    ],
)
def test_a_time_is_read_or_is_none(given: object, wall_ns: int | None) -> None:
    assert moment(given) == wall_ns


def test_members_keep_their_bytes_and_are_what_is_expected_or_nothing() -> None:
    found = members(b'{"a": {"b":1E2 , "c":"\xc3\xa4"}, "t": "x", "n": null, "w": ["a", 1], "at": 1.5}')
    assert found is not None
    assert found.exact("a") == b'{"b":1E2 , "c":"\xc3\xa4"}'
    assert (found.text("t"), found.text("a"), found.text("none"), found.value("n")) == ("x", "", "", None)
    assert (found.words("w"), found.words("t"), found.exact("none")) == (("a",), (), b"")
    assert (found.moment("at"), found.moment("t")) == (1_500_000_000, None)
    assert found.inner("a").text("c") == "ä"
    assert found.inner("t") == found.inner("none") == Members()
    assert members(b"[1]") is None
    assert first_members(b'\xef\xbb\xbf\n {"a":1}\n{"b":2}').keys() == {"a"}
    assert first_members(b"{") == Members()
