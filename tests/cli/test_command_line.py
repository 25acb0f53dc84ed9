"""A span of time is written in seconds, or with its unit."""

import click
import pytest

from inspector.cli.command_group import commands
from inspector.cli.command_line import WITH_VALUE, CommandLine, duration, first_word, lasting, split, take_apart
from inspector.cli.exit_status import ExitStatus
from inspector.errors import UsageError
from tests.cli.running import inspect


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5), ("0.5", 0.5), ("5s", 5), ("500ms", 0.5), ("2m", 120), ("1.5 h", 5400), ("-3", -3)]
)
def test_a_number_and_a_unit_are_seconds(text: str, seconds: float) -> None:
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "five", "5 sec", "5d", "m", "1:30", "-5s"])
def test_duration_refuses_other_texts(text: str) -> None:
    with pytest.raises(click.BadParameter, match="use seconds"):
        duration(text)


def test_a_span_that_must_not_be_empty_is_not() -> None:
    assert lasting("1ms") == 0.001
    for text in ("0", "0s", "-1", "nan"):
        with pytest.raises(click.BadParameter, match="not more than 0 seconds"):
            lasting(text)


def test_wrong_duration_names_the_option() -> None:
    ran = inspect("info", "--timeout", "soon", "--", "server").exits(ExitStatus.USAGE, "--timeout")
    assert "use seconds (5), or 500ms, 5s, 2m, 1h" in ran.stderr


_COMMANDS = ["stdio", "http", "list", "call", "demo"]


def _words(line: str) -> CommandLine:
    return take_apart(line.split(), _COMMANDS)


@pytest.mark.parametrize(
    ("line", "command", "ours", "theirs"),
    [
        ("", "", "", None),
        ("--help", "", "--help", None),
        ("demo", "demo", "", None),
        ("-- node x.js", "stdio", "", "node x.js"),
        ("-e A=b -- node x.js", "stdio", "-e A=b", "node x.js"),
        ("stdio -e A=b -- node -e", "stdio", "-e A=b", "node -e"),
        ("http://h/mcp", "http", "http://h/mcp", None),
        ("--era legacy https://h/mcp -q", "http", "--era legacy https://h/mcp -q", None),
        ("--json list tools -- x", "list", "--json tools", "x"),
        ("--timeout 3 list tools --json", "list", "--timeout 3 tools --json", None),
        ("--timeout=3 list tools", "list", "--timeout=3 tools", None),
        ("-eA=b list tools", "list", "-eA=b tools", None),
        ("-a demo call add", "call", "-a demo add", None),
        ("list tools --", "list", "tools", ""),
        ("list tools -- a -- b --json", "list", "tools", "a -- b --json"),
    ],
)
def test_command_is_found_among_the_words(line: str, command: str, ours: str, theirs: str | None) -> None:
    assert _words(line) == CommandLine(command, tuple(ours.split()), None if theirs is None else tuple(theirs.split()))


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("stdio node x.js", "mcp-inspect stdio -- node x.js"),
        ("stdio --era modern npx -y a", "mcp-inspect stdio --era modern -- npx -y a"),
        ("-e A=b stdio npx -y a", "mcp-inspect stdio -e A=b -- npx -y a"),
        ("node x.js", "mcp-inspect -- node x.js"),
        ("./server", "mcp-inspect -- ./server"),
        ("server.py", "mcp-inspect -- python server.py"),
        ("--era legacy dist/index.js --port 3", "mcp-inspect --era legacy -- node dist/index.js --port 3"),
        ("a.mcpcap", "mcp-inspect replay a.mcpcap"),
        ("--conn 1 a.mcpcap", "mcp-inspect replay --conn 1 a.mcpcap"),
        ("stdio node -- --verbose", "mcp-inspect stdio -- --verbose"),
    ],
)
def test_a_servers_command_without_its_dashes_is_refused_with_the_right_line(line: str, right: str) -> None:
    with pytest.raises(UsageError) as refused:
        _words(line)
    assert refused.value.hint == f"Write: {right}"


def test_a_misspelt_command_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown command 'lst'") as refused:
        _words("lst tools")
    assert "'list'" in refused.value.hint


def test_a_single_strange_word_is_neither_a_command_nor_a_url() -> None:
    with pytest.raises(UsageError, match="'zzzzz' is neither a command nor a URL"):
        _words("zzzzz")


def test_only_the_first_dashes_divide() -> None:
    assert split(["a", "--", "b", "--", "c"]) == (("a",), ("b", "--", "c"))
    assert split(["a"]) == (("a",), None)
    assert split(["--"]) == ((), ())


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("--watch check x.mcpcap", "x.mcpcap"),
        ("--watch --era legacy check", "check"),
        ("check --watch", "check"),
        ("check x.mcpcap --watch --json", "check"),
        ("--watch=src test", "test"),
    ],
)
def test_an_option_whose_value_may_be_missing_takes_no_option_for_it(typed: str, command: str) -> None:
    words = typed.split()
    place = first_word(words)
    assert place is not None
    assert words[place] == command


def test_every_option_with_a_value_is_known_to_have_one() -> None:
    context = commands.make_context("mcp-inspect", ["start"])
    options = [
        option
        for name in commands.list_commands(context)
        for option in getattr(commands.get_command(context, name), "params", [])
        if option.param_type_name == "option"
    ]
    assert len(options) > 50
    assert {word for option in options if not option.is_flag for word in option.opts} == WITH_VALUE


def test_host_and_port_without_scheme_gets_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        take_apart(["localhost:3000/mcp"], _COMMANDS)
    assert caught.value.hint == "Did you mean http://localhost:3000/mcp?"
