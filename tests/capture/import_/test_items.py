"""The small things that all readers need."""

import os
from pathlib import Path

import msgspec
import pytest

from inspector.capture.import_.items import ImportSource, Members, first_members, is_there, members, moment, text_bytes


def test_null_is_absent_and_a_lone_surrogate_is_encoded() -> None:
    assert [is_there(msgspec.Raw(text)) for text in (b"null", b"", b"0")] == [False, False, True]
    assert text_bytes("\ud800") == b"\xed\xa0\x80"


def test_lines_come_without_marks_and_blanks(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\n[]\n{"b":2}')
    fd = os.open(file, os.O_RDONLY)
    source = ImportSource(fd, "x")
    assert list(source.lines()) == [b'{"a":1}', b"[]", b'{"b":2}']
    assert [list(each) for each in source.objects()] == [["a"], ["b"]]
    assert source.passed_over == {"lines that are no JSON object": 1}
    assert source.read(3, 7) == b'{"a":1}'
    os.close(fd)


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
