"""`mcp-inspect http`, and the same without the word."""

import pytest

from tests.cli.commands.opened import opened
from tests.cli.running import inspect

_XTERM = {"TERM": "xterm"}


@pytest.mark.parametrize("word", [("http",), ()])
def test_the_interface_opens_on_the_url(word: tuple[str, ...], demo_url: str) -> None:
    with opened() as lives:
        assert inspect("-H", "X-Gull: yes", *word, demo_url, terminal=True, env=_XTERM).status == 0
    assert lives[0].journal.conversation.opening is not None
    assert lives[0].target.headers == (("X-Gull", "yes"),)  # type: ignore[union-attr]


def test_a_command_is_no_url() -> None:
    ran = inspect("http", "node", terminal=True, env=_XTERM)
    assert "'node' is no http or https URL" in ran.stderr
