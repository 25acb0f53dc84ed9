"""`mcp-inspect stdio`, and the same without the word."""

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.config.paths import places
from tests.cli.commands.opened import opened
from tests.cli.running import demo, inspect

_XTERM = {"TERM": "xterm"}


@pytest.mark.parametrize("word", [("stdio",), ()])
def test_the_interface_opens_on_the_command_and_the_session_is_recorded(word: tuple[str, ...]) -> None:
    with opened() as lives:
        ran = inspect(*word, "--era", "legacy", *demo(), terminal=True, env=_XTERM)
    (live,) = lives
    assert ran.status == 0
    assert live.journal.conversation.opening is not None
    assert live.journal.conversation.opening.era == "legacy"
    assert live.journal.capture_path is not None
    assert live.journal.capture_path.parent == places().captures
    assert "mcp-inspect replay " in ran.stderr


def test_nothing_is_recorded_on_request() -> None:
    with opened() as lives:
        inspect("--no-capture", *demo(), terminal=True, env=_XTERM)
    assert lives[0].journal.capture_path is None


def test_without_a_terminal_it_is_refused() -> None:
    ran = inspect(*demo())
    assert ran.status == ExitStatus.USAGE
    assert "the interface needs a terminal" in ran.stderr
