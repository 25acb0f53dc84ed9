"""`mcp-inspect complete`: proposals for arguments of prompts and templates, in both eras."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.protocol.revisions.table import ROWS
from tests.cli.running import demo, inspect, scripted


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("prompt", "hail_ship", "ship", "m"), ["Merry Puffin"]),
        (("template", "lighthouse://ships/{name}", "name", "lady"), ["Lady Ottilie"]),
        (("prompt", "hail_ship", "ship", "zzz"), []),
    ],
)
def test_values_come_with_how_many_there_are(flag: str, words: tuple[str, ...], values: list[str]) -> None:
    ran = inspect("complete", *words, "--json", *demo(flag)).exits(0)
    assert ran.data == {"values": values, "total": len(values), "hasMore": False}


def test_without_a_value_everything_is_proposed_a_line_each() -> None:
    ran = inspect("complete", "prompt", "hail_ship", "ship", *demo())
    assert len(ran.stdout.splitlines()) == 5
    assert "5 values" in ran.stderr
    assert "1 value\n" in inspect("complete", "prompt", "hail_ship", "ship", "m", *demo()).stderr


def test_complete_takes_the_last_word_as_url(demo_url: str) -> None:
    for words, found in (((), 5), (("bold",), 1)):
        ran = inspect("complete", "prompt", "hail_ship", "ship", *words, demo_url, "--json")
        assert len(ran.data["values"]) == found


_PROMPTS = {"result": {"prompts": [{"name": "review", "arguments": [{"name": "language", "required": True}]}]}}
_ANSWER = {"result": {"completion": {"values": ["\x1b[31mred", 7], "hasMore": True}}}


def _sent(log: Path) -> str:
    return next(line for line in log.read_text().splitlines() if "completion/complete" in line)


def test_complete_sends_known_arguments_as_context(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = scripted({"completion/complete": _ANSWER}, f"log={log}")
    ran = inspect("complete", "prompt", "p", "b", "x", "-a", "a=1", *server)
    assert '"context":{"arguments":{"a":"1"}}' in _sent(log)
    assert ran.stdout == "␛[31mred\n"
    assert "there are more" in ran.stderr


def test_complete_warns_if_the_revision_has_no_context(tmp_path: Path) -> None:
    log = tmp_path / "log"
    old = scripted({"completion/complete": _ANSWER}, f"log={log}", protocolVersion=ROWS[0].date)
    ran = inspect("complete", "prompt", "p", "b", "-a", "a=1", *old)
    assert "has no place for other arguments: they are left out" in ran.stderr
    assert "context" not in _sent(log)


def test_complete_of_an_unknown_prompt_fails_with_the_error() -> None:
    ran = inspect("complete", "prompt", "nobody", "x", "--json", *demo())
    assert (ran.status, ran.stdout) == (ExitStatus.TOOL_ERROR, "")
    assert ran.error["jsonrpc_error"]["code"] == -32602


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("prompt", "p", "a"), "no server named"),
        (("prompt", "p", "a", "v", "w", "--", "x"), "unexpected extra argument (w)"),
        (("tool", "p", "a", "--", "x"), "invalid KIND 'tool'"),
        (("prompt", "p", "a", "-a", "b:=1", "--", "x"), "a prompt's arguments are texts"),
    ],
)
def test_words_that_do_not_fit_start_no_server(words: tuple[str, ...], said: str) -> None:
    inspect("complete", *words).exits(ExitStatus.USAGE, said)


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (("prompt", "review", "language=p"), "! review: 'language=p' is no argument of it (write language p)"),
        (("prompt", "review", "langage"), "! review: 'langage' is no argument of it (did you mean 'language'?)"),
        (("prompt", "reviw", "language"), "! 'reviw' is not among the prompts listed (did you mean 'review'?)"),
        (("template", "file:///{path}", "pth"), "! file:///{path}: 'pth' is no argument of it (did you mean 'path'?)"),
        (("prompt", "review", "language"), ""),
    ],
)
@pytest.mark.parametrize("answer", [{"result": {"completion": {"values": []}}}, {"error": {"code": 1, "message": "x"}}])
def test_complete_of_what_is_no_argument_warns(words: tuple[str, ...], warning: str, answer: object) -> None:
    script = {"completion/complete": answer, "prompts/list": _PROMPTS}
    ran = inspect("complete", *words, *scripted(script, capabilities={"prompts": {}, "completions": {}}))
    assert warning in ran.stderr
    assert ("! " in ran.stderr) == bool(warning)
