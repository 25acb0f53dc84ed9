"""The demo as a process on stdin and stdout."""

import asyncio
import sys

import pytest

from inspector.demo import __main__ as stdio
from inspector.demo.call import PARSE_ERROR
from tests.demo.driving import LEGACY, MODERN, child, opening, request, stateless

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def test_a_handshake_a_list_and_a_call() -> None:
    async with child() as demo:
        assert (await demo.ask(opening()))["result"]["protocolVersion"] == LEGACY
        demo.write(INITIALIZED)
        assert (await demo.ask(request(1, "tools/list")))["result"]["tools"]
        result = (await demo.ask(request(2, "tools/call", name="echo", arguments={"text": "ahoy"})))["result"]
        assert result["content"] == [{"type": "text", "text": "ahoy"}]
        assert await demo.leave() == 0


async def test_a_stateless_call_needs_no_opening() -> None:
    async with child() as demo:
        found = await demo.ask(stateless(1, "server/discover"))
        assert found["result"]["supportedVersions"] == [MODERN]
        called = await demo.ask(stateless(2, "tools/call", name="add", arguments={"a": 1, "b": 2}))
        assert called["result"]["structuredContent"]["sum"] == 3
        assert await demo.leave() == 0


async def test_a_slow_call_is_overtaken_and_can_be_cancelled() -> None:
    async with child() as demo:
        forever = {"steps": 1000, "seconds_per_step": 60}
        demo.write(stateless(1, "tools/call", name="long_running", arguments=forever))
        await demo.ask(stateless(2, "tools/list"))
        demo.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        await demo.ask(stateless(1, "tools/list"))


async def test_lines_that_are_no_json_are_answered_and_blank_ones_are_not() -> None:
    async with child() as demo:
        demo.write(b"not json", b"", b"  ", b"\xff")
        for _ in range(2):
            assert (await demo.read())["error"]["code"] == PARSE_ERROR
        await demo.ask(stateless(1, "tools/list"))


async def test_a_line_may_be_longer_than_any_buffer() -> None:
    async with child() as demo:
        await demo.ask(opening())
        result = await demo.ask(request(1, "ping", padding="x" * 3_000_000))
        assert result["result"] == {}


async def test_piped_input_is_answered_before_exit() -> None:
    async with child() as demo:
        demo.write(stateless(1, "tools/list"))
        assert demo.process.stdin
        demo.process.stdin.close()
        assert (await demo.read())["id"] == 1
        assert await demo.leave() == 0


async def test_a_running_call_does_not_keep_the_demo_from_leaving() -> None:
    async with child() as demo:
        forever = {"steps": 1000, "seconds_per_step": 60}
        demo.write(stateless(1, "tools/call", name="long_running", arguments=forever))
        await demo.ask(stateless(2, "tools/list"))
        assert await demo.leave() == 0


async def test_demo_exits_when_stdout_is_closed() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c"),
        "import os, runpy, sys\n"
        "r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n"
        "sys.argv = ['demo']; runpy.run_module('inspector.demo', run_name='__main__')",
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate(b"nonsense\n")
    assert process.returncode == 0
    assert b"Traceback" not in said


@pytest.mark.parametrize(
    ("flags", "method", "outcome"),
    [
        (["--legacy-only"], "server/discover", "error"),
        (["--modern-only"], "server/discover", "result"),
        (["--page-size", "3"], "tools/list", "result"),
    ],
)
async def test_a_flag_is_heard(flags: list[str], method: str, outcome: str) -> None:
    async with child(*flags) as demo:
        answer = await demo.ask(stateless(1, method))
        assert outcome in answer
        if "--page-size" in flags:
            assert len(answer["result"]["tools"]) == 3


async def test_starting_it_imports_nothing_heavy() -> None:
    code = (
        "import runpy, sys, os\n"
        "os.dup2(os.open(os.devnull, os.O_RDONLY), 0); sys.argv = ['demo']\n"
        "try: runpy.run_module('inspector.demo', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    loaded = set(out.decode().split())
    assert "inspector" in loaded
    assert not loaded & {"textual", "rich", "httpx", "h11", "jsonschema", "pydantic", "msgspec", "click"}


def test_stdio_uses_descriptors_0_and_1() -> None:
    assert (stdio.STDIN, stdio.STDOUT) == (0, 1)
