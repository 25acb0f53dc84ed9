"""From a target to a session: which transport, which wish."""

import pytest

from inspector import __version__
from inspector.capture.journal import start_capture
from inspector.config.environment import Environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.protocol.revisions._shape import Carriage, Era
from inspector.session.open import client_info, open_session, transport_for
from inspector.session.options import Settings, Timeouts

_STDIO = StdioTarget(("x",), Environment({}, {}), "/")
_HTTP = HttpTarget("http://127.0.0.1:9/mcp")
_SSE = HttpTarget("http://127.0.0.1:9/sse", legacy_sse=True)


@pytest.mark.parametrize(("target", "kind"), [(_STDIO, "stdio"), (_HTTP, "http"), (_SSE, "sse")])
async def test_each_target_has_its_transport(target: Target, kind: str) -> None:
    transport = transport_for(target)
    assert transport.kind == kind
    await transport.close()


@pytest.mark.parametrize(
    ("target", "over_http", "carriage"), [(_STDIO, False, None), (_HTTP, True, None), (_SSE, True, Carriage.LEGACY_SSE)]
)
async def test_the_settings_become_a_wish(target: Target, over_http: bool, carriage: Carriage | None) -> None:
    journal = start_capture(None)
    settings = Settings(Era.LEGACY, "some day", Timeouts(1, 2), 3, remembered=Era.MODERN)
    session = open_session(target, journal, settings)
    connect_options = session.options.connect
    assert (connect_options.era, connect_options.revision, connect_options.remembered) == (
        Era.LEGACY,
        "some day",
        Era.MODERN,
    )
    assert (connect_options.over_http, connect_options.carriage, connect_options.silence_s) == (
        over_http,
        carriage,
        1 if over_http else 3,
    )
    assert session.options.clocks == Timeouts(1, 2)
    await session.transport.close()


def test_we_say_who_we_are() -> None:
    assert client_info() == {"name": "mcp-inspect", "title": "mcp-inspect", "version": __version__}
