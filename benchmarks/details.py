"""Time to show and scroll one large message, and to list and search ten thousand tools.

A large message is looked at in this process, in an app without a terminal, because only here can be seen how long the
interface's loop was held. The tools are looked at in a terminal, from the start of the program.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
from textual.app import App, ComposeResult

from benchmarks.measure import inspector
from benchmarks.terminal import Terminal
from inspector.capture.journal import start_capture
from inspector.protocol.frames import Channel, Direction
from inspector.tui import theme as styles
from inspector.tui.conversation import About, ConversationStage, OpenConversation
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.widgets.json_tree.view import JsonView
from tests.tui.screen_text import text

TOOLS = 10_000
_ROWS = 45_000
_PATIENCE_S = 30.0


def large_result() -> bytes:
    """A structured result of 9 MB: 900,000 lines when indented."""
    rows = [
        {"id": n, "name": f"item {n}", "tags": ["a", "b", "c"], "value": n * 1.5, "nested": {"x": n, "z": [1, 2, 3]}}
        | {"text": "lorem ipsum dolor sit amet " * 3, "none": None}
        for n in range(_ROWS)
    ]
    return _answer({"content": [], "structuredContent": {"rows": rows}})


def huge_string() -> bytes:
    """One text of 100 MB."""
    return _answer({"content": [{"type": "text", "text": "x" * 100_000_000}]})


def _answer(result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}, separators=(",", ":")).encode()


@dataclass(slots=True)
class Seen:
    """What was seen of one message in the detail."""

    shown_ms: float = 0.0
    held_ms: float = 0.0
    """The longest that the loop was held while it was prepared."""
    jump_ms: float = 0.0
    """The longest of some jumps, from the key to lines that are built."""
    found_ms: float = 0.0
    """Until a search has gone to what stands at the end, or has found that nothing does."""
    parse_ms: float = 0.0
    """The floor: what one parse of the same bytes takes."""


class _Still(OpenConversation):
    """A journal that nothing is added to."""

    @property
    def stage(self) -> ConversationStage:
        return ConversationStage.OPEN


class _Alone(App[None]):
    """The detail and nothing else."""

    def __init__(self, panel: DetailPanel) -> None:
        super().__init__()
        for theme in styles.THEMES:
            self.register_theme(theme)
        self.theme = styles.DARK_NAME
        self.panel = panel

    def compose(self) -> ComposeResult:
        yield self.panel


def look_at(payload: bytes) -> Seen:
    """Show a payload, jump through it and search it."""
    return asyncio.run(_look_at(payload))


async def _look_at(payload: bytes) -> Seen:
    seen, journal = Seen(), start_capture(None)
    started = time.perf_counter()
    msgspec.json.decode(payload)
    seen.parse_ms = _since(started)
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    panel = DetailPanel(_Still(journal, About("large")))
    app = _Alone(panel)
    async with app.run_test(size=(160, 45)) as pilot, asyncio.TaskGroup() as group:
        await pilot.pause()
        watch = _Watch()
        watching = group.create_task(watch.run())
        await asyncio.sleep(0.05)
        watch.worst = 0.0
        started = time.perf_counter()
        panel.show(1)
        await _until(lambda: '"result": {' in text(app))
        seen.shown_ms = _since(started)
        view = app.query(JsonView).first()
        seen.held_ms = watch.worst * 1000
        watching.cancel()
        seen.jump_ms = _jumps(view)
        seen.found_ms = await _search(view)
        await app.workers.wait_for_complete()
    journal.close()
    return seen


class _Watch:
    """Looks how late it is woken."""

    def __init__(self) -> None:
        self.worst = 0.0

    async def run(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            self.worst = max(self.worst, time.perf_counter() - before - 0.001)


def _jumps(view: JsonView) -> float:
    """Unfold everything, and go through all of it."""
    view.go_to_line(view.lines.count // 2)
    worst = 0.0
    for tenth in (10, 0, 5, 9, 1, 7, 3, 10, 0):
        started = time.perf_counter()
        view.go_to(view.view.count * tenth // 10)
        view.render_lines(view.size.region)
        worst = max(worst, _since(started))
    return worst


async def _search(view: JsonView) -> float:
    """Look for what is not there: the whole text is read."""
    started = time.perf_counter()
    found = await asyncio.to_thread(view.lines.find, "not to be found")
    assert found is None
    return _since(started)


async def _until(condition: Callable[[], bool]) -> None:
    end = time.perf_counter() + _PATIENCE_S
    while not condition():
        if time.perf_counter() > end:
            raise TimeoutError("the message did not appear")
        await asyncio.sleep(0.005)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


MANY_TOOLS = f"""
import json, sys
per = int(sys.argv[1])
def tool(n):
    properties = {{f"p{{k}}": {{"type": "string", "description": "a parameter with some words"}} for k in range(10)}}
    return {{"name": f"tool_{{n:05}}", "description": f"Does the thing number {{n}} with great care. " * 11,
            "inputSchema": {{"type": "object", "properties": properties, "required": ["p0"]}}}}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    reply = {{"jsonrpc": "2.0", "id": m["id"]}}
    if m["method"] == "initialize":
        reply["result"] = {{"protocolVersion": m["params"]["protocolVersion"], "capabilities": {{"tools": {{}}}},
                           "serverInfo": {{"name": "many", "version": "1"}}}}
    elif m["method"] == "tools/list":
        at, all = int((m.get("params") or {{}}).get("cursor", 0)), {TOOLS} if per > 1000 else 1000
        reply["result"] = {{"tools": [tool(n) for n in range(at, min(at + per, all))]}}
        if at + per < all:
            reply["result"]["nextCursor"] = str(at + per)
    else:
        reply["error"] = {{"code": -32601, "message": "no such method"}}
    sys.stdout.write(json.dumps(reply) + "\\n")
    sys.stdout.flush()
"""
"""Ten thousand tools of 1.3 kB in one page, or a thousand in ten."""


def many_tools(env: Mapping[str, str], per_page: int) -> tuple[float, float]:
    """Seconds from the start until the first of many tools is in sight on its screen, and until one was searched."""
    argv = inspector("stdio", "--", sys.executable, "-c", MANY_TOOLS, str(per_page))
    with Terminal(argv, env=env, columns=160, lines=50) as terminal:
        terminal.until(re.compile(rb"Tools [1-9]"))
        terminal.press(b"2")
        shown = terminal.until(b"tool_00004")
        started = time.perf_counter()
        terminal.press(b"/")
        terminal.until(b"search", since=len(terminal.written))
        since = len(terminal.written)
        terminal.press(b"00777")
        terminal.until(b"tool_00777", since=since)
        searched = time.perf_counter() - started
        terminal.press(b"\x1b\x1b")
        terminal.rest(0.2)
        terminal.press(b"\x1bq")
        terminal.rest(0.2)
        terminal.press(b"q")
    return shown, searched
