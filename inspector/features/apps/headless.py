"""Runs an app in a Chromium without a window: for authors who test their app by a program."""

from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.features.apps.browser import Browser, BrowserTab, find_browser, until
from inspector.features.apps.host import AppHost, ViewState
from inspector.features.apps.site import AppSite
from inspector.protocol import peek

_MARGIN, _HEIGHT = 60, 900
"""Pixels of the page beside the app, and its height."""
_PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
_FRAME = "(() => { const r = document.querySelector('#box iframe')?.getBoundingClientRect(); "
_FRAME += "return r ? { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height } : null; })()"


class Observed(msgspec.Struct):
    """What a run without a window has found."""

    state: ViewState
    is_ready: bool = False
    """Whether the View has done its handshake."""
    has_element: bool | None = None
    """Whether the selector was found; None without one."""
    text: str = ""
    """The visible text of the app."""
    size: tuple[int, int] = (0, 0)
    """Width and height of the app in pixels."""
    picture: bytes = b""
    """The app as PNG; empty if it has no frame."""


async def observe(host: AppHost, site: AppSite, env: Mapping[str, str], *, wait_for: str, seconds: float) -> Observed:
    """Open the page, wait until the app is ready and shows an element, and take its picture.

    `wait_for`: a CSS selector; "" for none. `seconds`: how long each of the two may take.

    Raises: UsageError if there is no Chromium, or the selector is invalid; ConnectError, RequestFailed.
    """
    host.proposals.opens_links = False
    size = host.context.size
    found = Observed(host.state)
    async with Browser(find_browser(env), env) as browser:
        tab = await browser.open(site.url, size.width + _MARGIN, max(_HEIGHT, (size.height or 0) + _MARGIN))
        found.is_ready = await until(lambda: _is_ready(host), seconds)
        app = await tab.app_frame()
        if app is not None and wait_for and found.is_ready:
            found.has_element = await until(lambda: _has(app, wait_for), seconds)
        elif wait_for:
            found.has_element = False
        if app is not None:
            await app.evaluate(_PAINTED)
            found.text = str(await app.evaluate("document.body?.innerText ?? ''"))
        clip = await tab.evaluate(_FRAME)
        if clip is not None:
            found.size = round(peek.at(clip, "width")), round(peek.at(clip, "height"))
            found.picture = await tab.screenshot(clip)
        found.state = host.state
        await host.end("the test is over")
    return found


async def _is_ready(host: AppHost) -> bool:
    return host.has_delivered or host.state is ViewState.ENDED


async def _has(app: BrowserTab, selector: str) -> Any:
    return await app.evaluate(f"!!document.querySelector({msgspec.json.encode(selector).decode()})")
