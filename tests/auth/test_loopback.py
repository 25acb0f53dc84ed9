"""Where the browser comes back to."""

import asyncio

import httpx
import pytest

from inspector.auth.loopback import Loopback, pasted, redirected
from inspector.auth.steps import Redirected


async def test_the_browsers_visit_is_what_was_waited_for() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        assert loopback.redirect_uri.startswith("http://127.0.0.1:")
        page = await browser.get(f"{loopback.redirect_uri}?code=a%2Bb&state=s&code=second")
        assert await loopback.wait() == Redirected({"code": "a+b", "state": "s"})
    assert page.status_code == 200
    assert "can be closed" in page.text


async def test_other_visits_are_turned_away_and_a_second_one_too() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        elsewhere = loopback.redirect_uri.replace("/callback", "/favicon.ico")
        assert (await browser.get(elsewhere)).status_code == 404
        assert (await browser.post(loopback.redirect_uri)).status_code == 404
        assert (await browser.get(f"{loopback.redirect_uri}?code=1")).status_code == 200
        assert (await browser.get(f"{loopback.redirect_uri}?code=2")).status_code == 410
        assert (await loopback.wait()).params == {"code": "1"}


async def test_nothing_listens_once_it_is_over() -> None:
    async with Loopback() as loopback:
        host, _, port = loopback.redirect_uri.removeprefix("http://").partition("/")[0].partition(":")
    with pytest.raises(OSError, match=r"."):
        await asyncio.open_connection(host, int(port))


async def test_a_port_that_is_taken_is_an_error() -> None:
    async with Loopback() as first:
        port = int(first.redirect_uri.split(":")[2].split("/")[0])
        with pytest.raises(OSError, match=r"."):
            async with Loopback(port):
                pass


def test_an_address_or_a_code_can_be_pasted() -> None:
    whole = Redirected({"code": "c", "state": "s"})
    assert pasted(" http://127.0.0.1:1/callback?code=c&state=s\n", "s") == whole
    assert pasted("code=c&state=s", "x") == whole
    assert pasted("c", "s") == whole
    assert pasted("", "s") is None
    assert pasted("two words", "s") is None


def test_a_flood_of_parameters_is_no_redirect() -> None:
    assert redirected("&".join(f"a{n}=1" for n in range(100))) == Redirected({})
