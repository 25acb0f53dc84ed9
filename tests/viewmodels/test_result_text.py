"""What kind of text a text is taken for."""

import pytest

from inspector.viewmodels import result_text
from inspector.viewmodels.result_text import TextKind, kind_of, pretty, pretty_text, sounds_like_an_error


@pytest.mark.parametrize(
    ("text", "mime_type", "kind"),
    [
        ('{"a": 1}', "", TextKind.JSON),
        (" [1, 2]\n", "text/plain", TextKind.JSON),
        ("[not json]", "", TextKind.PLAIN),
        ("{}{}", "", TextKind.PLAIN),
        ("7", "", TextKind.PLAIN),
        ("# Title\n\n- one\n- two", "", TextKind.MARKDOWN),
        ("a **bold** word and `code`", "", TextKind.MARKDOWN),
        ("plain words", "text/markdown; charset=utf-8", TextKind.MARKDOWN),
        ("# one\n- two", "text/x-python", TextKind.PLAIN),
        ("1. a sentence with one number", "", TextKind.PLAIN),
        ("", "", TextKind.PLAIN),
        ("[" * 5000 + "]" * 5000, "", TextKind.PLAIN),
    ],
)
def test_the_kind_is_guessed_from_text_and_media_type(text: str, mime_type: str, kind: TextKind) -> None:
    assert kind_of(text, mime_type) is kind


def test_a_text_too_long_to_look_through_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_text, "MOST_SNIFFED", 4)
    assert kind_of("[1,2]") is TextKind.PLAIN
    assert kind_of("[12]") is TextKind.JSON


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Error: no such file", True),
        ("Traceback (most recent call last):\n", True),
        ("ValueError: x", True),
        ("Failed to open", True),
        ("Error-free since 2020", True),
        ("error free", False),
        ("Errors are listed below", False),
        ("All went well", False),
    ],
)
def test_the_report_of_a_failure_is_known_by_its_first_words(text: str, is_one: bool) -> None:
    assert sounds_like_an_error(text) is is_one


def test_json_is_laid_out_and_cannot_act() -> None:
    assert pretty({"b": [1, "\x9b"], "a": {}}) == '{\n  "b": [\n    1,\n    "‹U+009B›"\n  ],\n  "a": {}\n}'
    assert pretty_text('{"a":1.0}') == '{\n  "a": 1.0\n}'
    assert pretty_text("no json \x1b") == "no json ␛"


def test_what_only_a_tolerant_writer_takes_is_taken() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert pretty("\ud800") == '"\\ud800"'
    assert pretty(deep) == "(nested too deeply to be shown)"
    assert pretty(10**400).startswith("1000")
