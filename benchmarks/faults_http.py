"""Harmful HTTP servers: compression bombs, endless streams, slow streams."""

import asyncio
import gzip
import json
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.faulted import Row, run
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.servers.http_fixtures import JSON, STREAM, Handler
from tests.servers.streams import answer_to, legacy, tools

MB = 1_000_000
_MOST_MB = 250
GZIP = (("Content-Encoding", "gzip"),)


@contextmanager
def serving(handler: Handler) -> Iterator[str]:
    """The URL of a server that runs in a thread of its own."""
    loop, port, over = asyncio.new_event_loop(), list[int](), asyncio.Event()
    ready = threading.Event()

    async def serve() -> None:
        async with Listener(handler) as listener:
            port.append(listener.port)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait(10)
    try:
        yield f"http://127.0.0.1:{port[0]}/mcp"
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    block = b" " * MB
    return b"".join([*(packer.compress(block) for _ in range(size // MB)), packer.flush()])


def zip_bombs(place: Path, small: bool) -> Row:
    """Bodies that unpack to gigabytes: as an answer, as a stream, and packed twice."""
    size = (50 if small else 4000) * MB
    bomb = _bomb(size)
    shapes = {
        "answer": HttpResponse(200, (*JSON, *GZIP), bomb),
        "stream": HttpResponse(200, (*STREAM, *GZIP), bomb),
        "twice": HttpResponse(200, (*JSON, ("Content-Encoding", "gzip, gzip")), gzip.compress(bomb)),
    }
    runs = {}
    for name, shape in shapes.items():
        with serving(legacy(tools(), tools_call=_always(shape))) as url:
            runs[name] = run(("call", "work", "--json", "--era", "legacy", "--timeout", "30", url), place)
    told = "--max ratio=" in runs["answer"].told and "--max ratio=" in runs["stream"].told
    calm = all(each.is_calm and each.status in (4, 6) and each.peak_mb < _MOST_MB for each in runs.values())
    slowest, peak = max(each.seconds for each in runs.values()), max(each.peak_mb for each in runs.values())
    figures = f"slowest {slowest:.1f} s, {peak:.0f} MB; cut at 100 times its size, and said so"
    return Row(f"{len(bomb):,} bytes of gzip that are {size // MB:,} MB, over HTTP", figures, told and calm)


def _always(response: HttpResponse) -> Callable[[HttpRequest], HttpResponse]:
    return lambda request: response


def endless_stream(place: Path, small: bool) -> Row:
    """Keep-alives for ever, and never an answer: the call's clock ends it."""
    seconds = 1 if small else 10

    def endless(request: HttpRequest) -> HttpResponse:
        async def body() -> AsyncIterator[bytes]:
            while True:
                yield b": still here\n\n" * 20
                await asyncio.sleep(0.001)

        return HttpResponse(200, STREAM, body())

    with serving(legacy(tools(), tools_call=endless)) as url:
        words = ("call", "work", "--json", "--era", "legacy", "--timeout", str(seconds), "--max-total", str(seconds))
        ran = run((*words, url), place)
    good = ran.is_calm and ran.status == 7 and ran.seconds < seconds + 8 and ran.peak_mb < _MOST_MB
    return Row("a stream of keep-alives without an end", f"{ran.figures}; given up after {seconds} s as told", good)


def endless_event(place: Path, small: bool) -> Row:
    """One event that never ends."""
    lowered = ("--max", "message=10M") if small else ()

    def endless(request: HttpRequest) -> HttpResponse:
        async def body() -> AsyncIterator[bytes]:
            yield b"data: "
            while True:
                yield b"x" * 65536

        return HttpResponse(200, STREAM, body())

    with serving(legacy(tools(), tools_call=endless)) as url:
        ran = run(("call", "work", "--json", "--era", "legacy", "--timeout", "60", *lowered, url), place)
    told = "--max message=" in ran.told
    good = ran.is_calm and ran.status == 4 and told and ran.peak_mb < (_MOST_MB if small else 700)
    return Row("one event of a stream without an end", f"{ran.figures}; cut at the limit, and said so", good)


def trickling_stream(place: Path, small: bool) -> Row:
    """An answer that comes byte by byte, slowly: it is read as soon as it is whole."""
    pause = 0.001 if small else 0.05

    def trickle(request: HttpRequest) -> HttpResponse:
        async def body() -> AsyncIterator[bytes]:
            for byte in b"data: " + answer_to(request, {"content": []}) + b"\n\n":
                yield bytes((byte,))
                await asyncio.sleep(pause)

        return HttpResponse(200, STREAM, body())

    with serving(legacy(tools(), tools_call=trickle)) as url:
        ran = run(("call", "work", "--json", "--era", "legacy", "--timeout", "60", url), place)
    good = ran.is_calm and ran.status == 0 and json.loads(ran.out)["result"] == {"content": []}
    return Row(f"a stream of single bytes, {pause * 1000:g} ms apart", f"{ran.figures}; answered", good)


def redirects(place: Path, small: bool) -> Row:
    """A circle of redirects, each within the origin."""

    async def circle(request: HttpRequest) -> HttpResponse:
        return HttpResponse(307, (("Location", f"/mcp?{len(request.target)}"),))

    with serving(circle) as url:
        ran = run(("info", "--json", url), place)
    good = ran.is_calm and ran.status == 4 and "--max redirects=" in ran.told
    return Row("redirects in a circle", f"{ran.figures}; ended after 5, and said so", good)


FAULTS = (zip_bombs, endless_stream, endless_event, trickling_stream, redirects)
