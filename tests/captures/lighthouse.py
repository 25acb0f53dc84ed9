"""Sessions with the demo's lighthouse, as the samples keep them: a whole day, a wreck, and a visit over HTTP.

All three are played by the real session and the real demo, in this process, by clocks that are the same each time.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from inspector.capture.journal import Journal
from inspector.demo.call import DemoOptions, dump, parse
from inspector.demo.http import DemoSite
from inspector.demo.methods import DemoServer
from inspector.demo.state import DemoState
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.connect import ConnectOptions
from inspector.protocol.listed_items import LISTS
from inspector.protocol.request_meta import ClientIdentity
from inspector.session.session import Session, SessionOptions
from inspector.transports.http.listener import Listener
from tests.captures.disguise import DisguisedTransport, Muttering, RenamedTransport
from tests.captures.hurry import HurriedLoop, run_hurried
from tests.waiting import until

CLIENT = ClientIdentity({"name": "mcp-inspect", "title": "mcp-inspect", "version": "1"})
SHOWN_AT = "localhost:7171"
"""Where the visit over HTTP is said to have gone."""

PASSAGE: dict[str, Any] = {
    "ship": {"name": "Grey Lady", "callsign": "GRL7", "kind": "mail", "home_port": "Teal Bay"},
    "sighted_at": "2026-11-21T09:40:00Z",
    "visibility": "haze",
    "wind": {"knots": 17.5, "from_degrees": 240},
    "bound_for": {"harbour": "Saltmouth"},
    "crew": [{"name": "Ines", "role": "captain", "on_watch": True, "age": 51}, {"name": "Bosun", "role": "cat"}],
    "flags": ["K", "Q"],
    "cargo": {"label": "Mail", "tonnes": 1.5, "inside": [{"label": "Christmas parcels", "tonnes": 0.4}]},
    "report_to": "harbour@saltmouth.example",
    "lamp_answered": True,
    "remarks": None,
    "form": "GR-12",
}


def day(journal: Journal, loop: HurriedLoop) -> None:
    """Everything once, in the handshake era: lists, every kind of end, progress, a cancelled call, noise."""
    run_hurried(loop, stay(journal, keep_the_light, _spend_the_day, legacy_only=True))


def wreck(journal: Journal, loop: HurriedLoop) -> None:
    """A server that dies while it works."""
    run_hurried(loop, stay(journal, _sink, _call_for_help, legacy_only=False))


def visit(journal: Journal) -> None:
    """A visit over HTTP, in the stateless era. `journal` should have clocks that do not depend on the time."""
    asyncio.run(_visit(journal))


Serve = Callable[[DisguisedTransport], Awaitable[None]]
Play = Callable[[Session], Awaitable[None]]


async def stay(
    journal: Journal, serve: Serve, play: Play, *, legacy_only: bool = True, options: SessionOptions | None = None
) -> None:
    """Connect to a server, ask for its lists, and do what else there is to do."""

    async def served(transport: DisguisedTransport) -> None:
        with contextlib.redirect_stderr(Muttering(transport.write_stderr)):
            await serve(transport)

    transport = DisguisedTransport(served)
    async with Session(transport, journal, options or SessionOptions(ConnectOptions(CLIENT))) as session:
        await session.connect()
        assert session.opening is not None
        assert (session.opening.revision.era == "legacy") is legacy_only
        for kind in LISTS:
            await session.list_all(kind)
        await play(session)


async def keep_the_light(transport: DisguisedTransport) -> None:
    await asyncio.sleep(0.31)
    transport.write_stderr(b"\x1b[32mINFO\x1b[0m  lamp lit, lens turning, oil 41.5 l")
    transport.peer.send(b"Gull Rock Lighthouse 1.8.71 (this line is no message, and should not stand here)")
    await _answer(transport, DemoOptions(modern=False))


async def _answer(transport: DisguisedTransport, options: DemoOptions) -> None:
    async def write(message: object) -> None:
        transport.peer.send(dump(message))

    server = DemoServer(DemoState(), options, write)
    async with asyncio.TaskGroup() as tasks:
        while (line := await transport.peer.receive()) is not None:
            await asyncio.sleep(0.0021 + len(line) * 0.000_004)
            tasks.create_task(server.handle(parse(line), write))
    server.close()


async def _spend_the_day(session: Session) -> None:
    for name, arguments in (
        ("add", {"a": 17, "b": 4.5}),
        ("complex_form", PASSAGE),
        ("long_running", {"steps": 4, "seconds_per_step": 0.5}),
        ("complex_form", {**PASSAGE, "crew": [], "sighted_at": "noon"}),
        ("tool_error", {"harbour": "Port Ember"}),
        ("jsonrpc_error", {"how": "internal"}),
        ("invalid_output", {}),
        ("image_result", {"harbour": "Teal Bay", "hours": 24}),
        ("all_content", {}),
        ("log_messages", {"stderr_lines": 2}),
    ):
        await asyncio.sleep(2.35)
        await session.call("tools/call", {"name": name, "arguments": arguments})
    await _lose_patience(session)
    await session.call("tools/call", {"name": "hostile_text", "arguments": {"as_error": False}})
    await asyncio.sleep(1.2)
    await session.call("tools/call", {"name": "complex_form", "arguments": {**PASSAGE, "visibility": "fog"}})
    await asyncio.sleep(0.5)


async def _lose_patience(session: Session) -> None:
    """Cancel a call when the second step of it has been told of."""
    opened: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()

    async def give_up() -> None:
        exchange = await opened
        await asyncio.sleep(1.3)
        await session.cancel(exchange)

    await asyncio.sleep(2.35)
    arguments = {"steps": 60, "seconds_per_step": 0.5}
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(give_up())
        await session.call("tools/call", {"name": "long_running", "arguments": arguments}, opened=opened.set_result)
    await asyncio.sleep(0.8)


_LAST_WORDS = (
    b"\x1b[33mWARN\x1b[0m  oil pressure 0.2 bar",
    b"Traceback (most recent call last):",
    b'  File "lighthouse/lamp.py", line 71, in turn',
    b"    self.bearing.advance(step)",
    b"RuntimeError: the bearing has seized at 212\xc2\xb0",
    b"fatal: lens came off its rail",
)


async def _sink(transport: DisguisedTransport) -> None:
    async def fail() -> None:
        await asyncio.sleep(5.1)
        for line in _LAST_WORDS:
            transport.write_stderr(line)
        transport.die("SIGSEGV", asyncio.get_running_loop().time())

    transport.write_stderr(b"\x1b[32mINFO\x1b[0m  lamp lit, lens turning")
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(fail())
        await _answer(transport, DemoOptions())


async def _call_for_help(session: Session) -> None:
    await asyncio.sleep(1.4)
    await session.call("tools/call", {"name": "echo", "arguments": {"text": "Ahoy", "times": 3}})
    await asyncio.sleep(1.5)
    await session.call("tools/call", {"name": "long_running", "arguments": {"steps": 24, "seconds_per_step": 0.5}})
    await asyncio.sleep(0.1)


async def _visit(journal: Journal) -> None:
    async with asyncio.TaskGroup() as tasks, Listener(DemoSite(tasks, DemoOptions()).answer) as listener:
        transport = RenamedTransport(f"{listener.url}/mcp", SHOWN_AT)
        async with Session(transport, journal, SessionOptions(ConnectOptions(CLIENT, over_http=True))) as session:
            await session.connect()
            for kind in LISTS:
                await session.list_all(kind)
                await _quiet(transport)
            for name, arguments in (
                ("image_result", {"harbour": "Port Ember", "hours": 12}),
                ("long_running", {"steps": 3, "seconds_per_step": 0}),
                ("complex_form", PASSAGE),
                ("jsonrpc_error", {"how": "params"}),
                ("there_is_no_such_tool", {}),
            ):
                await session.call("tools/call", {"name": name, "arguments": arguments})
                await _quiet(transport)


async def _quiet(transport: RenamedTransport) -> None:
    """Until every HTTP exchange is over: so that the next one begins after it, at each recording."""
    await until(lambda: transport.under_way == 0, "the HTTP exchange was over")
