"""The site: tokens, origins, headers, and the relay."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx

from inspector.features.apps.host import ViewState
from inspector.features.apps.site import AppSite
from tests.features.apps.hosting import View, hosted
from tests.transports.http.socket_client import open_socket
from tests.waiting import until


@asynccontextmanager
async def _site() -> AsyncIterator[tuple[AppSite, View, httpx.AsyncClient]]:
    async with hosted() as view, AppSite(view.host, "<server>") as site, httpx.AsyncClient(timeout=60) as client:
        yield site, view, client


async def test_page_needs_its_token_and_has_a_policy_of_its_own() -> None:
    async with _site() as (site, _, client):
        page = await client.get(site.url)
        assert page.status_code == 200
        assert "frame-src http://127.0.0.1:" in page.headers["content-security-policy"]
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in page.headers
        assert "<server>" not in page.text
        for path in ("/", "/x/", urlsplit(site.url).path[:-2], urlsplit(site.url).path + "other"):
            assert (await client.get(f"http://127.0.0.1:{site.ports[0]}{path}")).status_code == 404


async def test_sandbox_has_another_origin_another_token_and_the_policy_of_the_app() -> None:
    async with _site() as (site, _, client):
        page = (await client.get(site.url)).text
        sandbox = page.partition('"sandbox":"')[2].partition('"')[0]
        assert f":{site.ports[1]}/" in sandbox
        found = await client.get(sandbox)
        assert f"frame-ancestors http://127.0.0.1:{site.ports[0]}" in found.headers["content-security-policy"]
        assert "connect-src 'none'" in found.headers["content-security-policy"]
        assert urlsplit(site.url).path.strip("/") not in found.text
        assert (await client.get(f"http://127.0.0.1:{site.ports[1]}{urlsplit(site.url).path}")).status_code == 404


async def test_messages_are_taken_from_the_page_only() -> None:
    async with _site() as (site, view, client):
        own = f"http://127.0.0.1:{site.ports[0]}"
        asks = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "x",
            "Sec-WebSocket-Version": "13",
        }
        for origin in ("null", f"http://127.0.0.1:{site.ports[1]}", "https://example.com", None):
            headers = {} if origin is None else {"Origin": origin}
            assert (await client.post(f"{site.url}page", content="{}", headers=headers)).status_code in (403, 404)
            assert (await client.get(f"{site.url}socket", headers=asks | headers)).status_code in (403, 404)
        assert (await client.get(f"{site.url}socket", headers={"Origin": own})).status_code == 400
        assert (await client.get(site.url, headers={"Host": "example.com"})).status_code == 421
        assert view.host.out.port is view


async def test_socket_carries_messages_both_ways_and_its_end_detaches_the_page() -> None:
    async with _site() as (site, view, _):
        async with open_socket(site.url, "socket?facts=%7B%22width%22%3A500%7D") as socket:
            while await socket.receive() != "start\n{}":
                pass
            assert view.host.context.width == 500
            for id_ in (8, 9):
                await socket.send(f'{{"jsonrpc":"2.0","id":{id_},"method":"ping"}}')
            got = [await socket.receive(), await socket.receive()]
            assert [json.loads(each.removeprefix("view\n"))["id"] for each in got] == [8, 9]
        await until(lambda: view.host.state is ViewState.WAITING, "the page is gone")


_ACTIONS: tuple[object, ...] = (
    {"do": "theme", "value": "dark"},
    {"do": "theme", "value": "<"},
    {"do": "size", "value": "300x200"},
    {"do": "size", "value": "x"},
    {"do": "mode", "value": "fullscreen"},
    {"do": "facts", "facts": {"width": 250}},
    {"do": 3},
    [],
)


async def test_actions_of_the_page_change_the_host() -> None:
    async with _site() as (site, view, client):
        await view.start({"availableDisplayModes": ["fullscreen"]})
        own = {"Origin": f"http://127.0.0.1:{site.ports[0]}"}
        for action in _ACTIONS:
            await client.post(f"{site.url}page", content=json.dumps(action), headers=own)
        context = view.host.context
        assert (context.theme, context.size.width, context.mode, context.width) == ("dark", 300, "fullscreen", 250)
        await client.post(f"{site.url}page", content='{"do": "end"}', headers=own)
        await until(lambda: "ui/resource-teardown" in view.methods, "the View is torn down")
