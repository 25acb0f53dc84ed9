"""The pictures of docs/tap.md: `python -m tests.screens.tapped [DIRECTORY]`, with a real tap and server-everything.

They are not compared by a test, because times and process ids are those of the run.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import TextArea

from inspector.features.tap import registry
from inspector.tui.app import InspectApp
from tests.architecture.sources import ROOT
from tests.features.tap.tapping import TapProcess, tapped
from tests.screens.pictures import pixels
from tests.screens.staging import plain
from tests.servers.real import argv
from tests.waiting import until

RULES = """
- {name: production, action: hold, side: request, when: tool == echo and args.message == production}
- {name: no secrets, action: hide, names: [get-env]}
- {name: slow sums, action: delay, side: response, when: tool == get-sum, delay: 200ms}
- {name: one in ten, action: fault, side: request, when: tool == echo, fault: error, probability: 0.1, enabled: false}
"""
NAMES = ("tap-held.svg", "tap-edited.svg", "tap-rules.svg")
"""The files that it writes."""
INFO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "my-client", "version": "1.4.0"}}


class _Pictures:
    def __init__(self, app: InspectApp, pilot: Pilot[None], place: Path) -> None:
        self._app = app
        self._pilot = pilot
        self._place = place

    async def take(self, name: str, *keys: str) -> None:
        """Press keys, wait until the screen is still, and write it."""
        await self._pilot.press(*keys)
        last = ""
        while (now := plain(self._app.export_screenshot(title="mcp-inspect", simplify=True))) != last:
            last = now
            await self._pilot.pause(0.1)
        (self._place / f"{name}.svg").write_text(now)
        if self._place != ROOT / "screenshots":
            (self._place / f"{name}.png").write_bytes(pixels(now))


async def _ask(tap: TapProcess) -> None:
    tap.request(1, "initialize", **INFO)
    await asyncio.to_thread(tap.line, 0)
    tap.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    tap.request(2, "tools/list")
    await asyncio.to_thread(tap.read, lambda: b'"id":2' in tap.stdout, "the list arrives")
    tap.request(3, "tools/call", name="get-sum", arguments={"a": 2, "b": 3})
    await asyncio.to_thread(tap.read, lambda: b'"id":3' in tap.stdout, "the sum arrives")
    tap.request(4, "tools/call", name="echo", arguments={"message": "production"})


async def _draw(place: Path, own: Path) -> None:
    (program,) = map(Path, argv("everything"))
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    rules = own / "rules.yaml"
    rules.write_text(RULES)
    options = ("--label", "demo", "--rules", str(rules), "--host-timeout", "60")
    with tapped(own, program.name, options=options) as tap:
        await until(registry.live, "the tap is registered")
        await _ask(tap)
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=(120, 34)) as pilot:
            pictures = _Pictures(app, pilot, place)
            await pilot.press("1", "G", "g", "b")
            await until(lambda: "production" in app.screen.query_one(TextArea).text, "the held message is shown")
            await pictures.take("tap-held")
            editor = app.screen.query_one(TextArea)
            editor.load_text(editor.text.replace("production", "sandbox"))
            await pilot.press("ctrl+j")
            await asyncio.to_thread(tap.read, lambda: b"Echo: sandbox" in tap.stdout, "the call is answered")
            await pictures.take("tap-rules", "escape", "v", "b")
            await pictures.take("tap-edited", "escape", "1", "G")
        await app.conversation.end()
        tap.stdin.close()
        await asyncio.to_thread(tap.ends)


def main() -> None:
    """Make the pictures."""
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "screenshots"
    with tempfile.TemporaryDirectory() as own:
        kept = {"PATH": os.environ["PATH"], "HOME": "/home/ada", "MCP_INSPECT_HOME": f"{own}/own"}
        os.environ.clear()
        os.environ.update(kept)
        asyncio.run(_draw(place, Path(own)))


if __name__ == "__main__":
    main()
