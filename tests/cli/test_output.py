"""What reaches the two streams: exact JSON for a pipe, nothing that acts for a terminal, colours where wanted."""

import io
import json
from collections.abc import Mapping

import msgspec
import pytest

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output, wants_colour
from inspector.errors import ConnectError
from tests.cli.running import Terminal


def _output(*, terminal: bool = False, env: Mapping[str, str] | None = None, as_json: bool = False) -> Output:
    kind = Terminal if terminal else io.StringIO
    return Output(CliEnv(None, env or {}, kind(), kind(), kind()), as_json)


def _out(output: Output) -> str:
    return output.env.stdout.getvalue()  # type: ignore[attr-defined, no-any-return]


def _err(output: Output) -> str:
    return output.env.stderr.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_json_for_a_pipe_is_one_line_and_raw_members_are_untouched() -> None:
    output = _output()
    output.data({"a": msgspec.Raw(b'{"x" : 1.50}'), "b": "\x9b\u202e"})
    assert _out(output) == '{"a":{"x" : 1.50},"b":"\x9b\u202e"}\n'


def test_json_for_a_terminal_is_indented_and_acts_on_nothing() -> None:
    output = _output(terminal=True)
    value = {"a": "\x9b2J \u202e \x7f \U000e0041", "b": [1], "hidden": "\u3164\ufe00\U000e0100\u2800\u00ad\ufff9\ue000"}
    output.data(value)
    output.record(value)
    pretty, _, line = _out(output).rstrip("\n").rpartition("\n")
    assert json.loads(pretty) == json.loads(line) == value
    assert not set(_out(output)) & set(value["hidden"])
    assert "\\u009b2J \\u202e \\u007f \\udb40\\udc41" in _out(output)
    assert '\n  "b"' in _out(output)


def test_output_that_cannot_be_indented_is_on_one_line() -> None:
    output = _output(terminal=True)
    output.data({"a": msgspec.Raw(b'"\\ud83d"'), "b": "\x9b"})
    assert _out(output) == '{"a":"\\ud83d","b":"\\u009b"}\n'


def test_json_is_utf8_whatever_the_locale() -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="latin-1")
    output = Output(CliEnv(None, {}, io.StringIO(), stdout, io.StringIO()))
    output.data({"a": "→"})
    assert raw.getvalue() == '{"a":"→"}\n'.encode()
    stdout.close()


def test_output_of_lone_surrogates_is_valid_json() -> None:
    output = _output()
    output.data({"a": "\ud800", "b": msgspec.Raw(b"[1]")})
    assert json.loads(_out(output)) == {"a": "\ud800", "b": [1]}


def test_text_is_made_visible_and_has_colours_on_a_terminal_only() -> None:
    plain, coloured = _output(), _output(terminal=True, env={"TERM": "xterm"})
    for output in (plain, coloured):
        output.text("a\x1b[31m\nb")
        output.lines([(("good ", "ok"), ("!", "text"))])
    assert _out(plain) == "a␛[31m\nb\ngood !\n"
    assert _out(coloured) == "a␛[31m\nb\n\x1b[32mgood \x1b[0m!\n"


@pytest.mark.parametrize(
    ("terminal", "env", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (False, {}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_for_who_wants_them(terminal: bool, env: dict[str, str], wanted: bool) -> None:
    assert wants_colour(Terminal() if terminal else io.StringIO(), env) is wanted


def test_narration_goes_to_stderr_unless_quiet() -> None:
    output = _output()
    output.narrate("so far\x1b so good")
    output.quiet = True
    output.narrate("unheard")
    output.warn("careful")
    assert (_out(output), _err(output)) == ("", "so far␛ so good\n! careful\n")


def test_a_failure_has_what_and_what_next() -> None:
    output = _output()
    assert output.failure(ConnectError("no\x1b way", hint="walk")) == ExitStatus.UNREACHABLE
    assert _err(output) == "✗ no␛ way\n  → walk\n"


def test_with_json_a_failures_last_line_is_one_object() -> None:
    output = _output(as_json=True)
    output.failure(ConnectError("no\x1b way\nat all"), {"more": [1]})
    assert json.loads(_err(output).splitlines()[-1]) == {
        "error": {"code": "connect_error", "message": "no\x1b way\nat all", "hint": "", "diagnosis": [], "more": [1]}
    }
    assert "\x1b" not in _err(output)
