"""What the client trusts, and which way it goes to the server."""

import asyncio
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from inspector.errors import ConnectError, UsageError
from inspector.protocol.url_hosts import is_loopback
from inspector.transports.http.client import Forwarder, make_client, needs_proxy, proxy_of
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from inspector.transports.http.reply import unreachable
from tests.servers.http_fixtures import REQUEST, always, connected, json_answer, serving
from tests.waiting import until


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody has signed but itself, with its key in the same file; made by openssl."""
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    try:
        subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    both = folder / "both.pem"
    both.write_bytes(cert.read_bytes() + key.read_bytes())
    return both


@asynccontextmanager
async def tls_server(certificate: Path) -> AsyncIterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def answer(_: HttpRequest) -> HttpResponse:
        return json_answer()

    async with Listener(answer, tls=context) as listener:
        yield f"{listener.url}/mcp"


async def test_head_and_body_of_a_request_arrive_in_one_read() -> None:
    reads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            reads.append(await reader.read(65536))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = httpx.URL(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp")
        async with make_client(url, cacert=None, insecure=False, connect_timeout=5, trust_env=True) as client:
            replies = [await client.post(url, content=body) for body in (b"[1]", b"[22]")]
    assert [each.text for each in replies] == ["{}", "{}"]
    assert [(each.startswith(b"POST /mcp"), each.rpartition(b"\r\n\r\n")[2]) for each in reads] == [
        (True, b"[1]"),
        (True, b"[22]"),
    ]


async def test_a_connection_that_brought_a_server_error_is_not_used_again() -> None:
    taken: list[str] = []
    ended: list[bool] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for status in ("200", "200") if taken else ("500",):
            taken.append(status)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"HTTP/1.1 {status} x\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        await reader.read()
        writer.close()
        await writer.wait_closed()
        ended.append(True)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = httpx.URL(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp")
        async with make_client(url, cacert=None, insecure=False, connect_timeout=5, trust_env=False) as client:
            statuses = [(await client.get(url)).status_code for _ in range(3)]
        await until(lambda: len(ended) == 2, "the connections are closed")
    assert statuses == [500, 200, 200]


async def test_a_certificate_that_signed_itself_is_refused_and_both_ways_out_are_named(certificate: Path) -> None:
    async with tls_server(certificate) as url, connected(url) as (transport, _):
        with pytest.raises(ConnectError, match="not trusted: self") as caught:
            await transport.send(REQUEST)
    assert "--cacert" in caught.value.hint
    assert "--insecure" in caught.value.hint


@pytest.mark.parametrize("insecure", [True, False])
async def test_either_way_out_lets_the_request_pass(certificate: Path, insecure: bool) -> None:
    options = HttpOptions(insecure=True) if insecure else HttpOptions(cacert=str(certificate))
    async with tls_server(certificate) as url, connected(url, options=options) as (transport, _):
        assert (await transport.send(REQUEST)).status == 200


@pytest.mark.parametrize("content", [None, b"no certificate"])
async def test_a_file_without_certificates_is_a_wrong_use(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"ca\.pem"):
        async with connected("https://localhost/mcp", options=HttpOptions(cacert=str(path))):
            pytest.fail("it must not open")


async def test_proxy_is_not_used_for_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, _):
        assert (await transport.send(REQUEST)).status == 200


async def test_a_proxy_of_the_environment_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[bytes] = []

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(forward, "127.0.0.1", 0) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        async with connected("http://server.invalid/mcp") as (transport, _):
            await transport.send(REQUEST)
    assert lines == [b"POST http://server.invalid/mcp HTTP/1.1"]


@pytest.mark.parametrize("trust_env", [True, False])
async def test_proxies_of_the_environment_need_trust(monkeypatch: pytest.MonkeyPatch, trust_env: bool) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    url = httpx.URL("http://server.invalid/mcp")
    client = make_client(url, cacert=None, insecure=False, connect_timeout=1, trust_env=trust_env)
    async with client:
        assert bool(client._mounts) is trust_env


def test_a_proxy_that_can_not_be_used_is_a_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://127.0.0.1:70")
    with pytest.raises(UsageError, match="proxy") as caught:
        make_client(httpx.URL("https://example.test/"), cacert=None, insecure=False, connect_timeout=1, trust_env=True)
    assert "HTTPS_PROXY" in caught.value.hint


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.2", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost.example", False),
        ("10.0.0.1", False),
        ("example.test", False),
    ],
)
def test_loopback_is_known_by_names_and_numbers(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


# What a proxy sends requests with


def _forwarder(url: str, **options: str | bool) -> Forwarder:
    settings = {"cacert": None, "insecure": False, "connect_timeout": 5, "trust_env": True} | options
    return Forwarder(httpx.URL(url), **settings)  # type: ignore[arg-type]


async def _body(forwarder: Forwarder, *headers: tuple[str, str]) -> bytes:
    response = await forwarder.send("POST", "/mcp", headers, b"{}")
    try:
        return b"".join([piece async for piece in response.aiter_raw()])
    finally:
        await response.aclose()


async def test_a_connection_serves_several_requests_until_the_server_closes_it() -> None:
    connections: list[asyncio.StreamWriter] = []
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        while head := await reader.readuntil(b"\r\n\r\n{}"):
            heads.append(head)
            writer.write(
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d" % len(connections)
            )
            if len(heads) == 2:
                writer.close()
                return

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    forwarder = _forwarder(f"http://localhost:{server.sockets[0].getsockname()[1]}/mcp")
    try:
        assert await _body(forwarder, ("X-Odd-Case", "1"), ("x-odd-case", "2")) == b"1"
        assert await _body(forwarder) == b"1"
        await until(lambda: not forwarder._idle[0].is_usable, "the end of the connection arrives")
        assert await _body(forwarder) == b"2"
    finally:
        await forwarder.aclose()
        for each in connections:
            each.close()
        server.close()
    assert b"X-Odd-Case: 1\r\nx-odd-case: 2\r\n" in heads[0]
    assert b"Content-Length: 2\r\n" in heads[0]


@pytest.mark.parametrize("way", ["trusted", "insecure", "not trusted"])
async def test_a_forwarder_trusts_as_a_client_does(certificate: Path, way: str) -> None:
    trusted: dict[str, str | bool] = {"cacert": str(certificate)} if way == "trusted" else {}
    options = {"insecure": True} if way == "insecure" else trusted
    async with tls_server(certificate) as url:
        forwarder = _forwarder(url, **options)
        if way == "not trusted":
            with pytest.raises(httpx.ConnectError) as caught:
                await _body(forwarder)
            assert "not trusted: self" in str(unreachable(caught.value, httpx.URL(url), 5))
        else:
            assert await _body(forwarder)
        await forwarder.aclose()


async def test_a_server_that_is_not_there_is_named_by_each_of_its_addresses() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = httpx.URL(f"http://localhost:{taken.getsockname()[1]}/mcp")
        with pytest.raises(httpx.ConnectError) as caught:
            await _body(_forwarder(str(url)))
    assert "refuses connections" in str(unreachable(caught.value, url, 5))


async def test_a_response_that_ends_early_is_a_broken_one() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"{}")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await _body(_forwarder(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"))


@pytest.mark.parametrize("length", [0, 2])
@pytest.mark.parametrize("chunked", [False, True])
async def test_a_connection_with_more_than_the_response_is_not_used_again(length: int, chunked: bool) -> None:
    connections: list[bytes] = []
    ended: list[bool] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(await reader.readuntil(b"{}"))
        body = b"{}"[:length]
        framed = b"%x\r\n%b\r\n0\r\n\r\n" % (length, body) if length else b"0\r\n\r\n"
        how = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % length
        smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        writer.write(b"HTTP/1.1 200 OK\r\n" + how + b"\r\n\r\n" + (framed if chunked else body) + smuggled)
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        ended.append(True)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        forwarder = _forwarder(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp")
        assert [await _body(forwarder), await _body(forwarder)] == [b"{}"[:length]] * 2
        await forwarder.aclose()
        await until(lambda: len(ended) == len(connections), "the connections are closed")
    assert len(connections) == 2


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({"HTTP_PROXY": "http://ada:secret@proxy:3128"}, "proxy:3128"),
        ({"ALL_PROXY": "proxy:3128"}, "proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128"}, ""),
        ({"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "example.com"}, ""),
    ],
)
def test_proxy_of_a_url_is_named_without_its_credentials(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], proxy: str
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(httpx.URL("http://example.com/mcp"), trust_env=True) == proxy
    assert proxy_of(httpx.URL("http://example.com/mcp"), trust_env=False) == ""


def test_a_forwarder_is_for_servers_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    far, near = httpx.URL("https://server.invalid/mcp"), httpx.URL("http://localhost/mcp")
    monkeypatch.setenv("NO_PROXY", "example.test")
    assert not needs_proxy(far, trust_env=True)
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert [needs_proxy(far, trust_env=True), needs_proxy(far, trust_env=False)] == [True, False]
    assert not needs_proxy(near, trust_env=True)
