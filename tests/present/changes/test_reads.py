"""What has changed between two reads of the same resource."""

import base64
from hashlib import sha256
from typing import Any

from inspector.present.changes import reads
from inspector.present.changes.reads import change_lines, same
from inspector.present.spans import plain


def of(*items: Any) -> Any:
    return {"contents": list(items)}


def lines(before: Any, after: Any) -> list[str]:
    return [plain(line).rstrip() for line in change_lines(before, after)]


def texts(before: str, after: str) -> list[str]:
    return lines(of({"uri": "a:b", "text": before}), of({"uri": "a:b", "text": after}))


def blob(data: bytes) -> dict[str, str]:
    return {"uri": "a:b", "blob": base64.b64encode(data).decode()}


def test_lines_that_changed_stand_with_those_around_them_and_their_words_in_brackets() -> None:
    before = "\n".join(f"line {n}" for n in range(1, 21))
    assert texts(before, before.replace("line 10", "line ten")) == [
        "a:b",
        "  line 7 → 7",
        "  line 7",
        "  line 8",
        "  line 9",
        "- line [10]",
        "+ line [ten]",
        "  line 11",
        "  line 12",
        "  line 13",
    ]


def test_lines_that_came_or_went_stand_alone() -> None:
    assert texts("a\nb\n", "a\nnew\nb\n") == ["a:b", "  line 1 → 1", "  a", "+ new", "  b"]
    assert texts("a\nb\nc\n", "a\nc\n") == ["a:b", "  line 1 → 1", "  a", "- b", "  c"]
    assert texts("same\nsame\n", "same\nsame\nsame\n") == ["a:b", "  line 1 → 1", "  same", "  same", "+ same"]
    assert texts("", "x") == ["a:b", "  line 1 → 1", "+ x"]


def test_lines_with_nothing_in_common_have_no_brackets() -> None:
    assert texts("abc", "xyz")[2:] == ["- abc", "+ xyz"]


def test_two_places_are_two_groups() -> None:
    before = "\n".join(f"line {n}" for n in range(1, 31))
    shown = texts(before, before.replace("line 2\n", "line two\n").replace("line 28", "line x"))
    assert [line for line in shown if "→" in line] == ["  line 1 → 1", "  line 25 → 25"]


def test_line_endings_alone_are_reported() -> None:
    assert texts("a\nb\n", "a\r\nb\r\n") == ["a:b", "  only line endings differ"]


def test_long_texts_are_counted_and_not_compared() -> None:
    before = "\n".join(f"{n}" for n in range(reads.MOST_COMPARED + 10))
    after = "\n".join(f"x{n}" for n in range(reads.MOST_COMPARED + 5))
    assert texts(before, after)[1:] == ["- 3,010 lines from line 1 on", "+ 3,005 lines instead; too many to compare"]


def test_a_small_change_in_a_huge_text_is_found() -> None:
    before = "\n".join(f"{n}" for n in range(200_000))
    assert "+ [one hundred thousand]" not in texts(before, before)
    assert texts(before, before.replace("\n100000\n", "\n100 000\n"))[1] == "  line 99,998 → 99,998"


def test_binary_contents_are_compared_by_size_and_hash() -> None:
    assert lines(of(blob(b"one")), of(blob(b"three"))) == [
        "a:b",
        f"- before: 3 bytes, sha256 {sha256(b'one').hexdigest()}",
        f"+ after: 5 bytes, sha256 {sha256(b'three').hexdigest()}",
    ]


def test_a_content_may_come_go_or_become_another_kind() -> None:
    one, two = {"uri": "a:1", "text": "x"}, {"uri": "a:2", "text": "yy"}
    assert lines(of(one), of(two)) == [
        "a:2",
        "  before: missing",
        "+ after: text, 2 B",
        "a:1",
        "- before: text, 1 B",
        "  after: missing",
    ]
    changed = lines(of({"uri": "a:b", "text": "x", "mimeType": "text/plain"}), of({**blob(b"x"), "mimeType": "a/b"}))
    assert changed[1:3] == ["  type text/plain → a/b", "- before: text, 1 B"]
    assert lines(of({"uri": "a:b", "blob": "%"}), of(one))[-1] == "  after: missing"


def test_equal_contents_are_unchanged() -> None:
    one = of({"uri": "a:b", "text": "x"})
    assert same(one, one)
    assert not same(one, of())
    assert lines(one, one) == ["a:b", "  unchanged"]
    assert lines(of(), of()) == ["No content on either side."]


def test_contents_of_one_uri_are_compared_in_order() -> None:
    a, b, c = ({"uri": "a:b", "text": each} for each in "abc")
    assert lines(of(a, b), of(a, c))[:2] == ["a:b", "  unchanged"]


def test_hostile_text_is_only_text() -> None:
    assert "\x1b" not in "".join(texts("a\x1b[31m", "b\x1b[31m"))


def test_long_lines_are_cut() -> None:
    assert all(len(line) < 1100 for line in texts("a" * 9000, "b" * 9000))
