"""HTTP+SSE: messages without an open session are rejected."""

from collections.abc import Coroutine
from typing import Any

from inspector.features.mock.http import LegacySseSite
from inspector.features.mock.shared import MockShared
from inspector.features.mock.streams import HttpTape, StreamOutbox
from inspector.transports.http.listener import HttpRequest
from tests.features.mock.making import HANDSHAKE, INSTANT, scripted


def _nothing(work: Coroutine[Any, Any, None]) -> Any:
    work.close()


async def test_message_without_an_open_stream_is_refused(tmp_path: Any) -> None:
    shared = MockShared(scripted(tmp_path / "c.mcpcap", *HANDSHAKE), INSTANT, tell=lambda text: None)
    site = LegacySseSite(shared, HttpTape(None), _nothing, lambda: StreamOutbox(lambda: None))
    for target in ("/messages", "/messages?session_id=", "/messages?session_id=x"):
        assert site.take(HttpRequest("POST", target, (), b"{}"), 1, 0).status == 404
