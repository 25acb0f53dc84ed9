"""How long a message of an app takes to its host in Python and back, beside one that the page itself echoes."""

import asyncio
import os
from typing import Any

from inspector.features.apps import site
from inspector.features.apps.browser import Browser, find_browser, until
from inspector.features.apps.site import AppSite
from tests.features.apps.hosting import app, hosted

_PATIENCE_S = 120.0
_RELAY = "if (socket.readyState"
_ECHO = (
    'if (event.data?.method === "echo") { event.source.postMessage({ id: event.data.id }, sandboxOrigin); return; }\n'
)
_PAGE = """<!doctype html>
<script>
const waits = new Map();
addEventListener("message", ({ data }) => waits.get(data.id)?.(data));
let count = 0;
const ask = (method, params = {}) => new Promise((done) => {
  waits.set(++count, done);
  parent.postMessage({ jsonrpc: "2.0", id: count, method, params }, "*");
});
const timed = async (method, into) => {
  const began = performance.now();
  await ask(method);
  into.push(performance.now() - began);
};
const median = (times) => times.slice(20).sort((a, b) => a - b)[Math.floor((times.length - 20) / 2)];
(async () => {
  await ask("ui/initialize", { appInfo: {}, appCapabilities: {}, protocolVersion: "2026-01-26" });
  parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" }, "*");
  const echo = [], ping = [];
  for (let i = 0; i < 170; i++) { await timed("echo", echo); await timed("ping", ping); }
  window.medians = { echo: median(echo), ping: median(ping) };
})();
</script>
"""


def round_trips() -> tuple[float, float]:
    """Return the medians in milliseconds: of an echo of the page, and of a message to Python and back."""
    read = site._file
    echoing = read("host.js").replace(_RELAY, _ECHO + _RELAY, 1)
    site._file = lambda name: echoing if name == "host.js" else read(name)  # type: ignore[assignment]
    try:
        found = asyncio.run(_measured())
    finally:
        site._file = read
    return found["echo"], found["ping"]


async def _measured() -> Any:
    async with hosted(shown=app(_PAGE)) as view, AppSite(view.host, "benchmark") as pages:
        async with Browser(find_browser(os.environ), os.environ) as browser:
            tab = await browser.open(pages.url, 800, 600)
            await until(tab.app_frame, _PATIENCE_S)
            frame = await tab.app_frame()
            assert frame is not None, "the app has a frame"
            await until(lambda: frame.evaluate("window.medians"), _PATIENCE_S)
            return await frame.evaluate("window.medians")
