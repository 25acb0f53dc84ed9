"""`mcp-inspect tap http` as a process: what it prints, passes on, records, and how it ends."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from inspector.capture.format.verify import verify
from inspector.protocol.frames import Frame
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.cli.running import inspect
from tests.entries import kept
from tests.protocol.wire import INITIALIZE, INITIALIZED
from tests.waiting import PATIENCE_S


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
async def test_a_client_reaches_the_server_through_the_printed_url(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (("Content-Type", "application/json"),), json.dumps(opened).encode())

    opened = {"jsonrpc": "2.0", "id": 1, "result": INITIALIZED}

    capture = tmp_path / "a.mcpcap"
    async with Listener(answer) as server:
        argv = ["-m", "inspector", "tap", "http", f"{server.url}/mcp", "--json", "--capture", str(capture)]
        tap = subprocess.Popen([sys.executable, *argv], stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220, TID251
        try:
            assert tap.stdout is not None
            said = json.loads(tap.stdout.readline())
            async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
                reply = await client.post(
                    said["url"], json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
                )
        finally:
            tap.send_signal(number)
            tap.communicate(timeout=PATIENCE_S)
    assert (reply.json(), said["server"], tap.returncode) == (opened, f"{server.url}/mcp", status)
    assert verify(capture).state == "complete"
    assert len(kept(capture, Frame)) == 2
    assert "Failure" not in inspect("check", str(capture)).stdout


def test_tap_http_with_wrong_arguments_is_a_usage_error(tmp_path: Path) -> None:
    for words, said in (
        (("http://127.0.0.1:1/mcp", "--listen", "0.0.0.0:1"), "this machine only"),
        (("http://127.0.0.1:1/mcp", "--rules", str(tmp_path / "none.yaml")), "none.yaml can't be read"),
        (("http://127.0.0.1:1/mcp", "--keep", "10"), "at least 100k"),
        (("http://127.0.0.1:1/mcp", "--keep", "1M", "--otlp", "http://127.0.0.1:1"), "exclude each other"),
        ((), "missing argument 'URL'\n"),
    ):
        inspect("tap", "http", *words).exits(2, said)
