"""A headless Chromium, driven over the pipe of its DevTools protocol. It is found on PATH and never downloaded."""

import asyncio
import base64
import os
import shutil
import signal
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from inspector.errors import RequestFailed, UsageError
from inspector.protocol import peek
from inspector.text import cut
from inspector.transports.children import PipedChild, forget_group, is_group_alive, signal_group, spawn_piped

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_SWITCHES = Path(__file__).with_name("switches.txt").read_text("ascii").split()
_PAUSE_S = 0.05
_KILL_S = 5.0


class _Replies(asyncio.Protocol):
    """Cuts what the browser writes into messages, which end with NUL."""

    def __init__(self, take: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._take, self._lost = take, lost
        self._parts: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        *whole, rest = data.split(b"\0")
        for piece in whole:
            self._take(b"".join((*self._parts, piece)))
            self._parts.clear()
        if rest:
            self._parts.append(rest)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()


def find_browser(env: Mapping[str, str]) -> str:
    """Return the path of a Chromium. Raises: UsageError with advice if there is none on PATH."""
    for name in NAMES:
        if found := shutil.which(name, path=env.get("PATH")):
            return found
    raise UsageError(
        f"no Chromium on PATH; it was searched as {', '.join(NAMES)}",
        hint="Install it, for example: apt install chromium; or brew install --cask chromium. Without --headless "
        "any browser will do.",
    )


class Browser:
    """A running Chromium with a profile of its own, which is deleted at the end. An async context manager."""

    def __init__(self, path: str, env: Mapping[str, str]) -> None:
        self._path = path
        self._profile = tempfile.TemporaryDirectory(prefix="mcp-inspect-browser-", ignore_cleanup_errors=True)
        kept = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "FONTCONFIG_PATH", "XDG_RUNTIME_DIR")
        self._env = {name: env[name] for name in kept if name in env} | {"HOME": self._profile.name}
        self._child: PipedChild | None = None
        self._writer: asyncio.WriteTransport | None = None
        self._reader: asyncio.ReadTransport | None = None
        self._replies: dict[int, asyncio.Future[Any]] = {}
        self._last = 0

    async def __aenter__(self) -> Self:
        """Start it. Raises: ConnectError."""
        argv = [self._path, *_SWITCHES, f"--user-data-dir={self._profile.name}"]
        if os.geteuid() == 0:
            argv.append("--no-sandbox")  # Chromium refuses to run as root with its sandbox
        self._child = child = spawn_piped(self._path, [*argv, "about:blank"], self._env)
        loop = asyncio.get_running_loop()
        self._reader, _ = await loop.connect_read_pipe(
            lambda: _Replies(self._take, self._lost), _file(child.from_child)
        )
        self._writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, _file(child.to_child, "wb"))
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._child is not None, "it was started"
        for pipe in (self._writer, self._reader):
            if pipe is not None:
                pipe.close()
        signal_group(self._child.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            await asyncio.to_thread(os.waitpid, self._child.pid, 0)
        with suppress(TimeoutError):
            async with asyncio.timeout(_KILL_S):
                while is_group_alive(self._child.pid):  # noqa: ASYNC110 - a process sends no event
                    await asyncio.sleep(_PAUSE_S)
        forget_group(self._child.pid)
        await asyncio.to_thread(self._profile.cleanup)

    async def open(self, url: str, width: int, height: int) -> "BrowserTab":
        """Open a page of this size. Raises: RequestFailed."""
        target = peek.text(await self.send("Target.createTarget", {"url": "about:blank"}), "targetId") or ""
        attached = await self.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        tab = BrowserTab(self, peek.text(attached, "sessionId") or "")
        await tab.send("Page.enable")
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await tab.send("Emulation.setDeviceMetricsOverride", metrics)
        follow = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        await tab.send("Target.setAutoAttach", follow)
        await tab.send("Page.navigate", {"url": url})
        return tab

    async def send(self, method: str, params: Any = None, session: str = "") -> Any:
        """Send a command and return its result. Raises: RequestFailed."""
        if self._writer is None or self._writer.is_closing():
            raise RequestFailed("the browser has ended")
        self._last += 1
        number = self._last
        self._replies[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": params or {}} | ({"sessionId": session} if session else {})
        self._writer.write(msgspec.json.encode(message) + b"\0")
        try:
            return await self._replies[number]
        finally:
            self._replies.pop(number, None)

    def _take(self, raw: bytes) -> None:
        message = msgspec.json.decode(raw)
        waiting = self._replies.get(peek.integer(message, "id") or 0)
        if waiting is not None and not waiting.done():
            error = peek.text(message, "error", "message")
            if error is not None:
                waiting.set_exception(RequestFailed(f"the browser: {cut(error, 300)}"))
            else:
                waiting.set_result(peek.at(message, "result"))

    def _lost(self) -> None:
        for waiting in self._replies.values():
            if not waiting.done():
                waiting.set_exception(RequestFailed("the browser has ended"))


class BrowserTab:
    """A page of the browser; its frames on other origins are sessions of their own."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session

    async def send(self, method: str, params: Any = None) -> Any:
        """Send a command about this page. Raises: RequestFailed."""
        return await self._browser.send(method, params, self._session)

    async def app_frame(self) -> "BrowserTab | None":
        """Return the inner frame of the sandbox as a page of its own; None if there is none yet."""
        frames: list[tuple[str, BrowserTab]] = []
        targets = peek.items(await self._browser.send("Target.getTargets", {"filter": [{}]}), "targetInfos")
        for each in targets:
            if peek.text(each, "type") != "iframe":
                continue
            attach = {"targetId": peek.text(each, "targetId"), "flatten": True}
            attached = await self._browser.send("Target.attachToTarget", attach)
            frames.append(
                (peek.text(each, "url") or "", BrowserTab(self._browser, peek.text(attached, "sessionId") or ""))
            )
        return next((tab for url, tab in frames if url.startswith("about:srcdoc")), None)

    async def evaluate(self, expression: str) -> Any:
        """Return the JSON value of an expression in this page. Raises: RequestFailed if it throws."""
        wanted = {"expression": expression, "returnByValue": True, "awaitPromise": True, "userGesture": True}
        found = await self.send("Runtime.evaluate", wanted)
        if peek.has(found, "exceptionDetails"):
            text = peek.text(found, "exceptionDetails", "exception", "description")
            raise RequestFailed(f"the page: {cut(text or 'an exception', 300)}")
        return peek.at(found, "result", "value")

    async def screenshot(self, clip: Any = None) -> bytes:
        """Return the page as PNG, or the part in a rectangle with x, y, width and height."""
        shown = {"format": "png"} | ({} if clip is None else {"clip": {**clip, "scale": 1}})
        found = await self.send("Page.captureScreenshot", shown | {"captureBeyondViewport": clip is not None})
        return base64.b64decode(peek.text(found, "data") or "")


async def until(condition: Callable[[], Awaitable[Any]], seconds: float) -> bool:
    """Wait until an async condition is true; return whether it became true in time."""
    try:
        async with asyncio.timeout(seconds):
            while not await condition():  # noqa: ASYNC110 - a page sends no event
                await asyncio.sleep(_PAUSE_S)
    except TimeoutError:
        return False
    return True


def _file(fd: int, mode: str = "rb") -> Any:
    return open(fd, mode, buffering=0)
