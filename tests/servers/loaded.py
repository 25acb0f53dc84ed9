"""A server of three read-only tools, right or with one defect that only load shows: its first argument.

clean       nothing is wrong
lock        one lock around all calls
short-lock  one lock around all calls, each of which takes 1 ms
short       each call takes 1 ms: not a defect
slow-first  the first call of a tool takes 400 ms longer
leak        10 KiB a call are kept
descriptors every fourth call opens a file and forgets it
deadlock    the first two calls at once wait for each other
swapped     calls in flight at once get each other's results
shared      a result is made from a variable that calls share
blocking    a tool sleeps without yielding
dies        the eighth call in flight at once ends the process
random      results differ always: not a defect
clock       results change with time: not a defect
failing     calls fail when four are in flight
twice       every tenth response is sent twice
threads     every tenth call leaves a thread
children    every tenth call leaves a child process
periodic    every 40th call takes 300 ms longer
pool        two calls at a time, each of 5 ms
pooled      eight calls at a time, each of 5 ms: not a defect
newest      one call at a time, the newest first
busy        a loop computes also while there is nothing to do
crowded     a call takes longer with the square of the calls in flight
"""

import asyncio
import json
import os
import sys
import threading
import time

DEFECT = sys.argv[1] if len(sys.argv) > 1 else "clean"
SLOW_S = 0.05
TOOLS = [
    {
        "name": name,
        "description": f"The {name} tool.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": True},
    }
    for name in ("echo", "slow", "fast")
] + [{"name": "write", "description": "Writes.", "inputSchema": {"type": "object"}}]

lock = asyncio.Lock()
pool = asyncio.Semaphore(2 if DEFECT == "pool" else 8)
until_the_end = os.pipe() if DEFECT == "children" else (0, 0)
kept: list[object] = []
swapping: list[tuple[object, object]] = []


class State:
    """What calls share."""

    calls = 0
    in_flight = 0
    text = ""
    stack: list[asyncio.Event] = []  # noqa: RUF012
    children: list[object] = []  # noqa: RUF012


def send(message: dict[str, object]) -> None:
    """Write one message."""
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


async def work(name: str, text: str) -> str:
    """What a tool does, and says."""
    if name == "slow":
        if DEFECT == "blocking":
            time.sleep(SLOW_S)  # noqa: ASYNC251 - the defect
        else:
            await asyncio.sleep(SLOW_S)
    if DEFECT in ("short-lock", "short"):
        await asyncio.sleep(0.001)
    if DEFECT == "slow-first" and State.calls == 1:
        await asyncio.sleep(0.4)
    if DEFECT == "shared":
        State.text = text
        await asyncio.sleep(0.001)
        text = State.text
    if DEFECT == "random":
        text += os.urandom(4).hex()
    if DEFECT == "clock":
        text += str(int(time.time() * 2))
    if DEFECT == "periodic":
        await asyncio.sleep(0.301 if State.calls % 40 == 0 else 0.001)
    if DEFECT in ("pool", "pooled"):
        async with pool:
            await asyncio.sleep(0.005)
    if DEFECT == "newest":
        turn = asyncio.Event()
        State.stack.append(turn)
        await turn.wait()
    if DEFECT == "crowded":
        await asyncio.sleep(0.001 * State.in_flight**2)
    return f"{name}: {text}"


def leave_behind() -> None:
    """What some calls do not clean up."""
    if DEFECT == "threads" and State.calls % 10 == 0 and State.calls < 4000:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    if DEFECT == "children" and State.calls % 10 == 0 and len(State.children) < 60:
        State.children.append(
            os.posix_spawn("/bin/cat", ["cat"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, until_the_end[0], 0)])
        )


async def newest_first() -> None:
    """Serve what waits, one at a time."""
    while True:
        if State.stack:
            State.stack.pop().set()
        await asyncio.sleep(0.002)


async def spin() -> None:
    """Compute without an end, and let others in."""
    while True:  # noqa: ASYNC110 - the defect
        await asyncio.sleep(0)


async def call(id_: object, params: dict[str, object]) -> None:
    """One tools/call."""
    State.calls += 1
    State.in_flight += 1
    arguments = params.get("arguments") or {}
    assert isinstance(arguments, dict)
    name, text = str(params["name"]), str(arguments.get("text", ""))
    leave_behind()
    if DEFECT == "leak":
        kept.append(os.urandom(10 * 1024))
    if DEFECT == "descriptors" and State.calls % 4 == 0 and State.calls < 2400:  # a process may have 1024
        os.dup(0)
    if DEFECT == "dies" and State.in_flight >= 8:
        sys.stderr.write("Fatal: too many at once\n")
        sys.stderr.flush()
        os._exit(3)
    if DEFECT == "deadlock" and State.in_flight > 1:
        State.in_flight = 1000
        await asyncio.Event().wait()
    if DEFECT in ("lock", "short-lock"):
        async with lock:
            said = await work(name, text)
    else:
        said = await work(name, text)
        if DEFECT in ("swapped", "dies", "failing", "deadlock"):
            await asyncio.sleep(0.002)
    failed = DEFECT == "failing" and State.in_flight >= 4
    State.in_flight -= 1
    result = {"content": [{"type": "text", "text": said}], "isError": failed}
    if DEFECT == "swapped" and swapping:
        (other, theirs) = swapping.pop()
        send({"id": other, "result": result})
        send({"id": id_, "result": theirs})
        return
    if DEFECT == "swapped" and State.in_flight >= 2 and State.calls % 5 == 0:
        swapping.append((id_, result))
        return
    send({"id": id_, "result": result})
    if DEFECT == "twice" and State.calls % 10 == 0:
        send({"id": id_, "result": result})


async def main() -> None:
    """Read requests until stdin ends; each call is a task of its own."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with asyncio.TaskGroup() as calls:
        if DEFECT in ("newest", "busy"):
            calls.create_task(newest_first() if DEFECT == "newest" else spin())
        while line := await reader.readline():
            message = json.loads(line)
            id_, params = message.get("id"), message.get("params") or {}
            match message.get("method"):
                case "initialize":
                    info = {"name": f"loaded-{DEFECT}", "version": "1"}
                    version = params["protocolVersion"]
                    result = {"protocolVersion": version, "serverInfo": info, "capabilities": {"tools": {}}}
                    send({"id": id_, "result": result})
                case "tools/list":
                    send({"id": id_, "result": {"tools": TOOLS}})
                case "ping":
                    send({"id": id_, "result": {}})
                case "tools/call":
                    calls.create_task(call(id_, params))
                case _ if id_ is not None:
                    send({"id": id_, "error": {"code": -32601, "message": "unknown method"}})
        os._exit(0)


asyncio.run(main())
