"""Arguments as typed: texts, JSON, files, and what is refused."""

import io
from pathlib import Path

import pytest

from inspector.cli.arguments import as_texts, joined, parse, read_pairs, read_whole
from inspector.errors import UsageError
from tests.cli.running import inspect

_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "on": {"type": "boolean"}}}


def test_texts_are_read_as_the_schema_asks_and_json_as_it_is() -> None:
    pairs = read_pairs(["n=1", "on=true", "on2=true", "j:=[1]", 't:="x"'])
    assert joined(None, pairs, _SCHEMA) == {"n": 1, "on": True, "on2": True, "j": [1], "t": "x"}


def test_without_a_schema_texts_stay_texts() -> None:
    assert joined(None, read_pairs(["n=1", "e="]), None) == {"n": "1", "e": ""}


def test_nothing_given_is_nothing() -> None:
    assert joined(None, (), _SCHEMA) is None
    assert read_whole(None, io.StringIO("x")) is None


def test_a_value_may_hold_what_divides() -> None:
    (pair,) = read_pairs(["q=a:=b=c"])
    assert (pair.name, pair.text) == ("q", "a:=b=c")


def test_all_at_once_come_from_a_file_or_stdin(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('\ufeff{"a": 1}')
    assert read_whole(f"@{tmp_path}/a.json", io.StringIO()) == {"a": 1}
    assert read_whole("-", io.StringIO("[2]")) == [2]
    assert read_whole("null", io.StringIO()) is None


def test_wrong_json_is_refused_with_its_place() -> None:
    with pytest.raises(UsageError, match=r"--args - \(stdin\): invalid JSON: line 2, column 1: expecting value"):
        read_whole("-", io.StringIO("[1,\n"))
    with pytest.raises(UsageError, match="nested too deeply"):
        parse("[" * 100_000, "--args")


def test_a_prompt_takes_texts_only() -> None:
    assert as_texts(read_pairs(["a=1"])) == {"a": "1"}
    with pytest.raises(UsageError, match="a prompt's arguments are texts"):
        as_texts(read_pairs(["a:=1"]))


@pytest.mark.parametrize(
    "words", [("text=https://example.com/a",), ("text=a", "http://127.0.0.1:9/mcp"), ("text=http://a/b", "--", "no")]
)
def test_an_argument_without_its_option_is_named_whatever_its_value_is(words: tuple[str, ...]) -> None:
    inspect("call", "find", *words).exits(2, f"'{words[0]}' is not a server", f"-a {words[0]}")
