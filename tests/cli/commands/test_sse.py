"""`mcp-inspect sse`: the older carriage and no other."""

from inspector.cli.exit_status import ExitStatus
from tests.cli.commands.opened import opened
from tests.cli.running import inspect

_XTERM = {"TERM": "xterm"}


def test_the_interface_opens_by_the_older_carriage(demo_url: str) -> None:
    with opened() as lives:
        assert inspect("sse", demo_url.removesuffix("/mcp") + "/sse", terminal=True, env=_XTERM).status == 0
    assert lives[0].journal.conversation.opening is not None
    assert lives[0].session is not None
    assert lives[0].session.transport.kind == "sse"


def test_another_transport_contradicts_it() -> None:
    ran = inspect("sse", "--transport", "http", "http://127.0.0.1:9/sse", terminal=True, env=_XTERM)
    assert ran.status == ExitStatus.USAGE
    assert "--transport http contradicts sse" in ran.stderr
