"""Where the browser comes back to."""

import asyncio

import httpx
import pytest

from inspector.auth.loopback import Loopback, pasted, redirected
from inspector.auth.steps import Redirected


async def test_the_browsers_visit_is_what_was_waited_for() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        assert loopback.redirect_uri.startswith("http://127.0.0.1:")
        came = loopback.expect("s")
        page = await browser.get(f"{loopback.redirect_uri}?code=a%2Bb&state=s&code=second")
        assert await came == Redirected({"code": "a+b", "state": "s"})
    assert page.status_code == 200
    assert "can be closed" in page.text


async def test_other_visits_are_turned_away_and_a_second_one_too() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        came = loopback.expect("s")
        elsewhere = loopback.redirect_uri.replace("/callback", "/favicon.ico")
        assert (await browser.get(elsewhere)).status_code == 404
        assert (await browser.post(loopback.redirect_uri)).status_code == 404
        for stray in ("", "?", "?code=evil", "?code=evil&state=x", "?state=&code=evil", "?error=access_denied"):
            page = await browser.get(f"{loopback.redirect_uri}{stray}")
            assert (page.status_code, came.done()) == (400, False)
            assert "The login goes on" in page.text
        assert loopback.ignored == 6
        assert (await browser.get(f"{loopback.redirect_uri}?code=1&state=s")).status_code == 200
        assert (await browser.get(f"{loopback.redirect_uri}?code=2&state=s")).status_code == 410
        assert (await came).params == {"code": "1", "state": "s"}


async def test_before_a_login_waits_nothing_is_taken() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        assert (await browser.get(f"{loopback.redirect_uri}?code=1&state=")).status_code == 400
        came = loopback.expect("s")
        assert not came.done()


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
    assert pasted("http://[x?code=c&state=s", "s") == whole


async def test_a_target_that_is_no_address_is_turned_away(caplog: pytest.LogCaptureFixture) -> None:
    async with Loopback() as loopback:
        port = int(loopback.redirect_uri.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET http://[::1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 404")
        writer.close()
        await writer.wait_closed()
    assert not caplog.records


def test_a_flood_of_parameters_is_no_redirect() -> None:
    assert redirected("&".join(f"a{n}=1" for n in range(100))) == Redirected({})
