"""Why an exchange failed: each cause is named, and each sentence comes with something to do."""

import asyncio
import socket
import ssl

import httpx
import pytest

from inspector.errors import ConnectError
from inspector.protocol.facts import HttpEvent
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.failures import broken, unreachable
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.packing import BadPacking
from tests.servers.http_fixtures import REQUEST, connected, fact, serving, steps

URL = httpx.URL("https://example.test/mcp")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_port_where_nobody_listens_refuses() -> None:
    port = free_port()
    async with connected(f"http://127.0.0.1:{port}/mcp") as (transport, seen):
        with pytest.raises(ConnectError, match=f"127.0.0.1:{port} refuses connections") as caught:
            await transport.send(REQUEST)
    assert "running" in caught.value.hint
    assert steps(seen) == [HttpEvent.REQUEST, HttpEvent.ERROR]
    assert fact(seen, HttpEvent.ERROR).why == str(caught.value)


async def test_a_server_that_hangs_up_without_a_response_is_told_as_such() -> None:
    async def hang_up(_: HttpRequest) -> HttpResponse:
        raise HangUp

    async with serving(hang_up) as site, connected(site.url) as (transport, seen):
        with pytest.raises(ConnectError, match="gave no HTTP response"):
            await transport.send(REQUEST)
    assert steps(seen) == [HttpEvent.REQUEST, HttpEvent.ERROR]
    assert len(site.requests) == 1, "a request may have had its effect: it is not sent twice"


async def test_a_server_that_does_not_speak_http_is_told_as_such() -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"220 mail.example.test ESMTP\r\n")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(babble, "127.0.0.1")
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with connected(f"http://127.0.0.1:{port}/mcp") as (transport, _):
            with pytest.raises(ConnectError, match="gave no HTTP response"):
                await transport.send(REQUEST)


async def test_tls_to_a_server_without_it_suggests_plain_http() -> None:
    async with serving(lambda _: asyncio.sleep(0, HttpResponse(200))) as site:
        async with connected(site.url.replace("http:", "https:")) as (transport, _):
            with pytest.raises(ConnectError, match="TLS handshake") as caught:
                await transport.send(REQUEST)
    assert "http://" in caught.value.hint


def wrapped(cause: Exception) -> httpx.ConnectError:
    """As httpx gives it: the cause lies two or three layers down."""
    group = OSError("All connection attempts failed")
    group.__cause__ = ExceptionGroup("multiple", [OSError("other"), cause])
    error = httpx.ConnectError("All connection attempts failed")
    error.__cause__ = group
    return error


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "verify failed")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "sentence", "hint"),
    [
        (wrapped(untrusted()), "not trusted: self-signed certificate", "--cacert"),
        (wrapped(socket.gaierror(-2, "Name or service not known")), "can't be resolved: Name or", "spelling"),
        (wrapped(ConnectionRefusedError()), "example.test:443 refuses", "running"),
        (wrapped(OSError(113, "No route to host")), "No route to host|other", "running"),
        (httpx.ConnectTimeout("x"), "within 3 s", "firewall"),
        (httpx.ProxyError("403 Forbidden"), "proxy refused.*403 Forbidden", "NO_PROXY"),
        (httpx.LocalProtocolError("Illegal header"), "Illegal header", "-H"),
        (httpx.WriteTimeout(""), "stopped taking", "stuck"),
        (httpx.ReadError(""), "no HTTP response: ReadError", "https"),
    ],
)
def test_the_cause_is_found_below_its_wrappers(error: Exception, sentence: str, hint: str) -> None:
    refusal = unreachable(error, URL, 3)
    with pytest.raises(ConnectError, match=sentence):
        raise refusal
    assert hint in refusal.hint


def test_a_header_that_cannot_be_written_is_not_quoted() -> None:
    error = httpx.LocalProtocolError("Illegal header value b'Bearer s3cr3t\\r\\nX: y'")
    assert "s3cr3t" not in str(unreachable(error, URL, 3))


def test_causes_that_go_in_a_circle_end() -> None:
    first, second = httpx.ConnectError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert "a" in str(unreachable(first, URL, 3))


def test_a_response_that_broke_says_who_broke_it() -> None:
    assert "the server" in broken(httpx.RemoteProtocolError("incomplete chunked read"))
    assert "compressed" in broken(BadPacking("bad"))
    assert "ReadError" in broken(httpx.ReadError(""))


async def test_no_connection_in_time_is_a_timeout_with_its_seconds() -> None:
    # A listener whose queue is full lets nobody in and refuses nobody: the connection hangs.
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        try:
            for each in waiting:
                each.setblocking(False)
                each.connect_ex(("127.0.0.1", port))
            options = HttpOptions(connect_timeout=0.2)
            async with connected(f"http://127.0.0.1:{port}/mcp", options=options) as (transport, _):
                with pytest.raises(ConnectError, match=r"within 0\.2 s"):
                    await transport.send(REQUEST)
        finally:
            for each in waiting:
                each.close()
