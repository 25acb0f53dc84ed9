"""Why an exchange failed: each cause is named, and each sentence comes with something to do."""

import asyncio
import gzip
import socket
import ssl
import zlib

import httpx
import pytest

from inspector.errors import ConnectError
from inspector.protocol.facts import HttpEvent
from inspector.protocol.frames import Direction
from inspector.transports.base import Limits
from inspector.transports.http import reply
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.reply import PIECE, BadPacking, broken, in_text, is_unpacked, unpacker, unreachable
from tests.servers.http_fixtures import ANSWER, JSON, REQUEST, STREAM, always, connected, fact, serving, steps

URL = httpx.URL("https://example.test/mcp")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_closed_port_is_refused() -> None:
    port = free_port()
    async with connected(f"http://127.0.0.1:{port}/mcp") as (transport, seen):
        with pytest.raises(ConnectError, match=f"127.0.0.1:{port} refuses connections") as caught:
            await transport.send(REQUEST)
    assert "running" in caught.value.hint
    assert steps(seen) == [HttpEvent.REQUEST, HttpEvent.ERROR]
    assert fact(seen, HttpEvent.ERROR).why == str(caught.value)


async def test_disconnect_before_the_response_is_a_connect_error() -> None:
    async def hang_up(_: HttpRequest) -> HttpResponse:
        raise HangUp

    async with serving(hang_up) as site, connected(site.url) as (transport, seen):
        with pytest.raises(ConnectError, match="gave no HTTP response"):
            await transport.send(REQUEST)
    assert steps(seen) == [HttpEvent.REQUEST, HttpEvent.ERROR]
    assert len(site.requests) == 1, "a request may have had its effect: it is not sent twice"


async def test_non_http_server_is_a_connect_error() -> None:
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
        (httpx.ProxyError("403 Forbidden"), "proxy rejected.*403 Forbidden", "NO_PROXY"),
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


def test_broken_response_names_its_cause() -> None:
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


TEXT = bytes(range(256)) * 40


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("X-GZip", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", _raw_deflate(TEXT)),
        ("identity", TEXT),
        ("", TEXT),
        ("br", TEXT),
    ],
    ids=["gzip", "x-gzip", "identity-gzip", "zlib", "raw-deflate", "identity", "none", "unknown"],
)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_unpacker_is_independent_of_cuts(encoding: str, packed: bytes, step: int) -> None:
    unpack = unpacker(encoding)
    cuts = [packed[at : at + step] for at in range(0, len(packed), step)]
    assert b"".join(piece for cut in cuts for piece in unpack(cut)) == TEXT


def test_unpacker_yields_bounded_pieces() -> None:
    pieces = unpacker("gzip")(gzip.compress(b"\0" * (20 * PIECE)))
    assert [len(next(pieces)) for _ in range(3)] == [PIECE] * 3


def test_a_body_packed_twice_is_left_as_it_is() -> None:
    twice = gzip.compress(gzip.compress(TEXT))
    assert list(unpacker("gzip, gzip")(twice)) == [twice]
    assert not is_unpacked("gzip, gzip")
    assert is_unpacked("identity, gzip")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_unpacker_refuses_uncompressed_data(encoding: str) -> None:
    with pytest.raises(BadPacking):
        list(unpacker(encoding)(b'{"jsonrpc":"2.0"}'))


def test_damage_in_the_middle_is_an_error_after_what_came_before_it() -> None:
    packer = zlib.compressobj(wbits=31)
    whole = packer.compress(TEXT) + packer.flush(zlib.Z_SYNC_FLUSH)
    unpack = unpacker("gzip")
    assert b"".join(unpack(whole)) == TEXT
    with pytest.raises(BadPacking):
        list(unpack(b"\xff" * 20))


GZIP = (("Content-Encoding", "gzip"),)


async def test_unrequested_compression_is_decoded_and_noted() -> None:
    packed = gzip.compress(ANSWER)
    answer = HttpResponse(200, JSON + GZIP, packed)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [ANSWER]
    assert (delivery.body, delivery.why) == (ANSWER, "")
    assert "compressed (gzip)" in fact(seen, HttpEvent.END).why
    assert fact(seen, HttpEvent.END).body_bytes == len(packed)


async def test_a_compressed_stream_gives_each_event_when_it_is_flushed() -> None:
    packer = zlib.compressobj(wbits=31)
    events = [packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH) for data in (b"data: 1\n\n", b"data: 2\n\n")]
    answer = HttpResponse(200, STREAM + GZIP, b"".join(events) + packer.flush())
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [b"1", b"2"]


async def test_a_body_that_only_claims_to_be_compressed_is_an_end_with_a_reason() -> None:
    answer = HttpResponse(200, JSON + GZIP, ANSWER)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert "can't be decoded" in delivery.why
    assert fact(seen, HttpEvent.END).why == delivery.why


async def test_unknown_encoding_is_recorded_raw_and_named() -> None:
    answer = HttpResponse(200, (*JSON, ("Content-Encoding", "odd")), ANSWER)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [ANSWER]
    assert "odd" in fact(seen, HttpEvent.END).why


async def test_a_body_that_unpacks_to_a_flood_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply, "_RATIO_FROM", 100_000)
    answer = HttpResponse(200, STREAM + GZIP, gzip.compress(b": \n" * 60_000))
    async with serving(always(answer)) as site, connected(site.url) as (transport, _):
        delivery = await transport.send(REQUEST)
    assert "unpacked from" in delivery.why


async def test_a_body_that_is_packed_twice_is_shown_as_it_came_and_never_unpacked() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 4_000_000))
    answer = HttpResponse(200, (*JSON, ("Content-Encoding", "gzip, gzip")), bomb)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [bomb]
    assert "gzip, gzip" in fact(seen, HttpEvent.END).why


async def test_a_body_beyond_the_limit_is_cut_and_its_beginning_shown() -> None:
    async with serving(always(HttpResponse(200, JSON, b"x" * 2_000_000))) as site:
        async with connected(site.url, options=HttpOptions(limits=Limits(message=1000))) as (transport, seen):
            delivery = await transport.send(REQUEST)
            assert "more than 1000 bytes; --max message=SIZE allows more" in delivery.why
            (beginning,) = [frame for frame in seen.frames if frame.direction is Direction.FROM_SERVER]
            assert len(beginning.payload) == 1000
            assert 0 < beginning.cut < 2_000_000
            assert (await transport.send(REQUEST)).status == 200, "the connection of the cut body is not used again"


async def test_a_delivery_carries_only_the_beginning_of_a_long_body() -> None:
    async with serving(always(HttpResponse(200, JSON, b"x" * 100_000))) as site:
        async with connected(site.url) as (transport, seen):
            delivery = await transport.send(REQUEST)
    assert len(delivery.body) == 64 * 1024
    assert len(seen.received()[0]) == 100_000


@pytest.mark.parametrize("content_type", ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
async def test_stream_is_recognized_by_media_type_in_any_case(content_type: str) -> None:
    async def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (("content-type", content_type),), b"data: {}\n\n")

    async with serving(answer) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [b"{}"]


def test_headers_that_are_no_utf_8_are_read_as_latin_1() -> None:
    headers = httpx.Headers([(b"X-A", "é".encode()), (b"x-b", b"\xe9")])
    assert in_text(headers) == (("X-A", "é"), ("x-b", "é"))


def test_proxy_that_is_not_there_is_the_one_that_refuses() -> None:
    error = httpx.ConnectError("failed")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    refusal = unreachable(error, httpx.URL("http://example.com/mcp"), 3, "proxy:3128")
    assert str(refusal) == (
        "The proxy proxy:3128, which the environment names for example.com:80: proxy:3128 refuses connections."
    )
    assert "NO_PROXY" in refusal.hint
