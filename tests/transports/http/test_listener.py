"""The HTTP/1.1 server: requests that are read and rejected, responses, and limits."""

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from inspector.transports.http import listener as module
from inspector.transports.http.listener import Allowance, HangUp, HttpRequest, HttpResponse, Listener
from tests.servers.http_fixtures import always, pieces
from tests.waiting import PATIENCE_S, until


async def echo(request: HttpRequest) -> HttpResponse:
    """Say what was asked."""
    return HttpResponse(200, (("X-Target", request.target),), request.method.encode() + b" " + request.body)


async def talk(port: int, *said: bytes) -> bytes:
    """Say these bytes over one connection, and return all that comes until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for each in said:
            writer.write(each)
            await writer.drain()
        return await asyncio.wait_for(reader.read(), PATIENCE_S)
    finally:
        writer.close()
        await writer.wait_closed()


GET = b"GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


async def test_a_request_comes_with_its_target_its_body_and_its_headers_as_they_were_written() -> None:
    seen: list[HttpRequest] = []

    async def keep(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse(204)

    async with Listener(keep) as server:
        odd = b"hOST: localhost\r\nX-b: 1\r\nx-A: 2\r\n"
        head = b"POST /a?b=c HTTP/1.1\r\n" + odd + b"Content-Length: 4\r\nConnection: close\r\n\r\n"
        said = await talk(server.port, head + b"bo", b"dy")
    (request,) = seen
    assert (request.method, request.target, request.body) == ("POST", "/a?b=c", b"body")
    assert request.headers[:3] == (("hOST", "localhost"), ("X-b", "1"), ("x-A", "2"))
    assert request.header("x-a") == "2"
    assert request.header("absent") is None
    assert said.startswith(b"HTTP/1.1 204 ")
    assert said.endswith(b"\r\n\r\n")


async def test_response_headers_go_out_as_they_stand_and_the_length_is_added() -> None:
    answer = HttpResponse(200, (("x-B", "1"), ("X-a", "2")), b"body")
    async with Listener(always(answer)) as server:
        said = await talk(server.port, GET)
    assert b"\r\nx-B: 1\r\nX-a: 2\r\nContent-Length: 4\r\n" in said
    assert said.endswith(b"\r\n\r\nbody")


async def test_a_connection_is_kept_and_requests_sent_ahead_wait_for_their_turn() -> None:
    first = GET.replace(b"Connection: close\r\n", b"")
    async with Listener(echo) as server:
        said = await talk(server.port, first + first + GET)
    assert said.count(b"HTTP/1.1 200 ") == 3


async def test_each_piece_of_a_stream_is_sent_at_once() -> None:
    go_on = asyncio.Event()
    async with Listener(always(HttpResponse(200, (), pieces([b"one", go_on.wait, b"two"])))) as server:
        async with httpx.AsyncClient() as client, client.stream("GET", server.url) as response:
            chunks = response.aiter_bytes()
            assert await anext(chunks) == b"one"
            go_on.set()
            assert await anext(chunks) == b"two"
            assert response.headers["transfer-encoding"] == "chunked"


async def test_the_head_of_a_stream_goes_out_before_its_first_piece() -> None:
    go_on = asyncio.Event()
    async with Listener(always(HttpResponse(200, (), pieces([go_on.wait, b"x"])))) as server:
        async with httpx.AsyncClient() as client, client.stream("GET", server.url) as response:
            assert response.status_code == 200
            go_on.set()
            assert await response.aread() == b"x"


async def test_a_body_that_is_an_iterator_and_no_generator_is_served_too() -> None:
    class Counting:
        left = 3

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self

        async def __anext__(self) -> bytes:
            if not self.left:
                raise StopAsyncIteration
            self.left -= 1
            return b"x"

    async with Listener(always(HttpResponse(200, (), Counting()))) as server, httpx.AsyncClient() as client:
        assert (await client.get(server.url)).content == b"xxx"


async def test_a_client_that_goes_away_ends_the_stream_at_the_server() -> None:
    ended = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        try:
            yield b"one"
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with Listener(always(HttpResponse(200, (), body()))) as server:
        async with httpx.AsyncClient() as client, client.stream("GET", server.url) as response:
            assert await anext(response.aiter_bytes()) == b"one"
        await asyncio.wait_for(ended.wait(), PATIENCE_S)
        await until(lambda: not server._connections, "the connection has ended")


async def test_a_client_that_goes_away_ends_a_handler_that_still_thinks() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def think(_: HttpRequest) -> HttpResponse:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    async with Listener(think) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(GET)
        await asked.wait()
        writer.close()
        await writer.wait_closed()
        await asyncio.wait_for(ended.wait(), PATIENCE_S)


async def test_a_handler_that_fails_is_a_500_and_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_: HttpRequest) -> HttpResponse:
        raise ZeroDivisionError

    async with Listener(fail) as server:
        said = await talk(server.port, GET)
    assert said.startswith(b"HTTP/1.1 500 ")
    assert b"ZeroDivision" not in said
    assert "ZeroDivisionError" in caplog.text


async def test_a_body_that_fails_breaks_the_connection_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with Listener(always(HttpResponse(200, (), pieces([b"one", ZeroDivisionError()])))) as server:
        said = await talk(server.port, GET)
    assert b"one" in said
    assert not said.endswith(b"0\r\n\r\n")
    assert "ZeroDivisionError" in caplog.text


async def test_hanging_up_on_purpose_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def hang_up(_: HttpRequest) -> HttpResponse:
        raise HangUp

    caplog.set_level(logging.INFO, logger=module.__name__)
    async with Listener(hang_up) as server:
        assert await talk(server.port, GET) == b""
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"what is this\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (POST + b"Content-Length: x\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000, b"431"),
        (POST + b"Content-Length: 101\r\n\r\n" + b"x" * 101, b"413"),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n", b"403"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nConnection: close\r\n\r\n", b"403"),
    ],
)
async def test_disallowed_request_is_refused_before_the_handler(said: bytes, status: bytes) -> None:
    async def never(_: HttpRequest) -> HttpResponse:
        pytest.fail("the handler was asked")

    async with Listener(never, allowance=Allowance(body=100)) as server:
        assert (await talk(server.port, said)).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize("extra", [b"Origin: http://localhost:9\r\n", b"Origin: http://[::1]:9\r\n", b""])
async def test_request_of_this_machine_is_served(extra: bytes) -> None:
    async with Listener(echo) as server:
        said = await talk(server.port, GET.replace(b"Connection", extra + b"Connection"))
    assert said.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("header", "status"), [(b"Host: evil.example", b"421"), (b"Host: localhost\r\nOrigin: http://evil.example", b"403")]
)
async def test_a_foreign_request_is_rejected_before_its_body_is_read(header: bytes, status: bytes) -> None:
    head = b"POST / HTTP/1.1\r\n" + header + b"\r\nContent-Length: 1000\r\n\r\n"
    async with Listener(echo) as server:
        assert (await talk(server.port, head)).startswith(b"HTTP/1.1 " + status)


async def test_a_declared_length_over_the_limit_is_rejected_before_the_body_is_read() -> None:
    async with Listener(echo, allowance=Allowance(body=100)) as server:
        said = await talk(server.port, POST + b"Content-Length: 101\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    ("said", "allowance"),
    [
        (b"GET / HTTP/1.1\r\nHost: localh", Allowance(head_s=0.05)),
        (POST + b"Content-Length: 9\r\n\r\nx", Allowance(body_s=0.05)),
    ],
)
async def test_a_request_that_stops_in_the_middle_times_out(said: bytes, allowance: Allowance) -> None:
    async with Listener(echo, allowance=allowance) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(said)
        assert (await asyncio.wait_for(reader.read(), PATIENCE_S)).startswith(b"HTTP/1.1 408 ")
        writer.close()
        await writer.wait_closed()


async def test_connections_without_a_request_are_closed() -> None:
    kept = GET.replace(b"Connection: close\r\n", b"")
    async with Listener(echo, allowance=Allowance(head_s=0.05)) as server:
        assert await talk(server.port) == b""
    async with Listener(echo, allowance=Allowance(idle_s=0.05)) as server:
        assert (await talk(server.port, kept)).startswith(b"HTTP/1.1 200 ")


async def test_one_connection_too_many_gets_503_and_the_next_is_served_again() -> None:
    async with Listener(echo, allowance=Allowance(connections=1)) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        await until(lambda: server._connections, "the first is connected")
        assert (await talk(server.port)).startswith(b"HTTP/1.1 503 ")
        writer.close()
        await writer.wait_closed()
        await until(lambda: not server._connections, "both have ended")
        assert (await talk(server.port, GET)).startswith(b"HTTP/1.1 200 ")


async def test_bodies_of_all_connections_together_have_a_limit_and_their_bytes_come_back() -> None:
    async with Listener(echo, allowance=Allowance(bodies=100)) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(POST + b"Content-Length: 90\r\n\r\n" + b"x" * 80)
        await until(lambda: server._bodies._left == 20, "the first body is in memory")
        long = POST + b"Connection: close\r\nContent-Length: 30\r\n\r\n" + b"x" * 30
        assert (await talk(server.port, long)).startswith(b"HTTP/1.1 503 ")
        writer.close()
        await writer.wait_closed()
        await until(lambda: server._bodies._left == 100, "the first body is gone")
        assert (await talk(server.port, long)).startswith(b"HTTP/1.1 200 ")


async def test_a_client_that_waits_for_a_go_ahead_gets_it() -> None:
    head = POST + b"Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    async with Listener(echo) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head)
        assert await reader.readline() == b"HTTP/1.1 100 \r\n"
        writer.write(b"hi")
        assert (await asyncio.wait_for(reader.read(), PATIENCE_S)).endswith(b"POST hi")
        writer.close()
        await writer.wait_closed()


async def test_a_head_request_gets_no_body() -> None:
    async with Listener(echo) as server, httpx.AsyncClient() as client:
        response = await client.head(server.url)
    assert (response.content, response.headers["content-length"]) == (b"", "5")


@pytest.mark.parametrize("said", [b"", b"GET / HT", POST + b"Content-Length: 9\r\n\r\nx"])
async def test_a_client_that_leaves_in_the_middle_is_no_error(said: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with Listener(echo) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(said)
        writer.close()
        await writer.wait_closed()
        assert (await talk(server.port, GET)).startswith(b"HTTP/1.1 200 ")
    assert "Traceback" not in caplog.text


async def test_closing_ends_streams_under_way_and_leaves_no_task() -> None:
    tasks, began, ended = asyncio.all_tasks(), asyncio.Event(), asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        try:
            began.set()
            yield b"one"
            await asyncio.Event().wait()
        finally:
            ended.set()

    server = Listener(always(HttpResponse(200, (), body())))
    await server.start()
    talking = asyncio.get_running_loop().create_task(talk(server.port, GET))
    await began.wait()
    await server.close()
    assert ended.is_set()
    with pytest.raises(ConnectionError):
        await asyncio.open_connection("127.0.0.1", server.port)
    await asyncio.wait({talking})
    _ = talking.exception()
    assert asyncio.all_tasks() <= tasks
    await server.close()


@pytest.mark.parametrize("turns", range(6))
async def test_connection_that_arrives_while_the_listener_closes_is_closed(turns: int) -> None:
    before = asyncio.all_tasks()
    listener = Listener(echo)
    await listener.start()
    with socket.create_connection(("127.0.0.1", listener.port), timeout=30) as client:
        for _ in range(turns):
            await asyncio.sleep(0)
        await listener.close()
        await until(lambda: asyncio.all_tasks() == before, "no task is left")
        with suppress(ConnectionResetError):
            assert await asyncio.to_thread(client.recv, 1) == b""


async def test_a_port_can_be_chosen_and_one_that_is_taken_is_an_error() -> None:
    async with Listener(echo) as first:
        assert first.url == f"http://127.0.0.1:{first.port}"
        with pytest.raises(OSError, match="address already in use"):
            await Listener(echo, port=first.port).start()


@pytest.mark.parametrize("host", ["0.0.0.0", "", "example.test", "192.168.0.1"])
def test_no_port_is_opened_to_other_machines(host: str) -> None:
    with pytest.raises(ValueError, match="not this machine"):
        Listener(echo, host=host)


async def test_a_client_that_sends_on_while_it_is_answered_is_not_read_without_end() -> None:
    go_on = asyncio.Event()

    async def wait(_: HttpRequest) -> HttpResponse:
        await go_on.wait()
        return HttpResponse(200)

    async with Listener(wait) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        flood = GET.replace(b"Connection: close\r\n", b"") * 700_000
        writer.write(flood)
        transport: Any = writer.transport
        await until(lambda: _is_still(transport), "the server takes no more")
        assert transport.get_write_buffer_size() > 0
        go_on.set()
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        transport.abort()


_sizes: list[int] = []


def _is_still(transport: Any) -> bool:
    """Whether the buffer of what is to be sent has not changed over twenty looks."""
    _sizes.append(transport.get_write_buffer_size())
    return len(_sizes) > 20 and len(set(_sizes[-20:])) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("X", "a\r\nY: b"), ("X\r\nY", "b"), ("X:Y", "b\n"), ("X", "\0"), ("Transfer-Encoding", "x")]
)
async def test_a_response_with_a_header_that_would_change_the_message_is_not_sent(name: str, value: str) -> None:
    async with Listener(always(HttpResponse(200, (("X-A", "1"), (name, value)), b"body"))) as server:
        said = await talk(server.port, GET)
    assert said.startswith(b"HTTP/1.1 500 ")
    assert b"X-A" not in said


async def test_bodies_of_known_length_and_in_chunks_take_turns_on_a_connection() -> None:
    plain = POST + b"Content-Length: 2\r\n\r\nab"
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\ncd\r\n0\r\n\r\n"
    last = POST + b"Content-Length: 2\r\nConnection: close\r\n\r\nef"
    async with Listener(echo) as server:
        together = await talk(server.port, plain + chunked + plain + last)
        apart = await talk(server.port, *(bytes([byte]) for byte in plain + chunked), last)
    assert re.findall(rb"POST \w\w", together) == [b"POST ab", b"POST cd", b"POST ab", b"POST ef"]
    assert re.findall(rb"POST \w\w", apart) == [b"POST ab", b"POST cd", b"POST ef"]
