"""Targets: labels for people, keys for what is remembered, URLs that can be dialled."""

import pytest

from inspector.config.environment import Environment
from inspector.config.targets import HttpTarget, StdioTarget, parse_url
from inspector.errors import UsageError

_NO_VARIABLES = Environment({}, {})


def _stdio(*argv: str, cwd: str = "/") -> StdioTarget:
    return StdioTarget(argv, _NO_VARIABLES, cwd)


def test_a_command_is_labelled_by_what_it_runs() -> None:
    assert _stdio("npx", "-y", "@modelcontextprotocol/server-everything").label == "everything"


def test_a_command_is_remembered_with_its_directory_and_whole() -> None:
    assert _stdio("x", "a").key == _stdio("x", "a").key
    assert len({_stdio("x", "a").key, _stdio("x", "b").key, _stdio("x", "a", cwd="/tmp").key, _stdio("x a").key}) == 4


def test_a_url_is_labelled_by_its_host_and_remembered_without_its_fragment() -> None:
    target = HttpTarget("https://gulls.example/mcp?k=v#here")
    assert target.label == "gulls.example"
    assert target.key == HttpTarget("https://gulls.example/mcp?k=v").key
    assert target.key != HttpTarget("https://gulls.example/mcp").key


@pytest.mark.parametrize("text", ["http://h", "https://h:1/mcp?x=y", "http://[::1]:3000/mcp"])
def test_a_url_that_can_be_dialled_is_taken_as_it_is(text: str) -> None:
    assert parse_url(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h/mcp", "is not an http or https URL"),
        ("file:///x", "is not an http or https URL"),
        ("http:///mcp", "has no host"),
        ("http://h:port/", "invalid URL"),
        ("http://[::1/", "invalid URL"),
    ],
)
def test_parse_url_refuses_other_urls_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_url(text)
