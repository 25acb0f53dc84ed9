"""Formats that a text may claim."""

import pytest

from inspector.forms.formats import wrong_format


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2032-02-29", "2031-02-29"),
        ("date", "2031-12-31", "31.12.2031"),
        ("time", "23:59:60Z", "23:59"),
        ("date-time", "2031-12-31T23:59:59.5+02:00", "2031-12-31"),
        ("date-time", "2031-12-31t23:59:59z", "2031-12-31T25:59:59Z"),
        ("duration", "P3DT12H", "P"),
        ("duration", "P2W", "P1DT"),
        ("email", "a@b.example", "a@"),
        ("email", "a@b", "a b@c"),
        ("hostname", "a-b.example", "-a.example"),
        ("hostname", "localhost", "a..b"),
        ("ipv4", "192.0.2.255", "192.0.2.256"),
        ("ipv6", "2001:db8::1", "2001:db8"),
        ("ipv6", "::", "fe80::1%eth0"),
        ("uri", "mailto:a@b", "no/scheme"),
        ("uri", "https://example.org/?q=1#x", "https://example.org/a b"),
        ("uri-reference", "../x", "a b"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
        ("json-pointer", "/a~1b/0", "a"),
        ("regex", "^a$", "("),
    ],
)
def test_a_format_takes_what_it_names_and_says_what_it_wanted(name: str, good: str, bad: str) -> None:
    assert wrong_format(name, good) == ""
    assert wrong_format(name, bad) != ""


def test_an_unknown_format_takes_anything() -> None:
    assert wrong_format("passport-number", "") == ""
