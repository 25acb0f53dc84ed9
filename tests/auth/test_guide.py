"""The login guide: redirects of the browser, pasted URLs, and failures of both."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable

import httpx
import pytest

from inspector.auth.guide import Guide, Loopback, pasted, redirected
from inspector.auth.steps import Abandoned, LoginStep, OpenAddress, Redirected, StepVerdict
from inspector.errors import AuthorizationNeeded
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.waiting import until

URL = "https://as.example/authorize?client_id=us"


async def visited(guide: Guide, action: Awaitable[object], known: str = "") -> Redirected | Abandoned:
    """What comes of a visit during which something is done."""
    redirect = await guide.begin(known)
    try:
        async with asyncio.TaskGroup() as tasks:
            visit = tasks.create_task(guide.visit(OpenAddress(URL, redirect, "st4te")))
            await until(lambda: guide.waiting is not None, "somebody is waited for")
            await action
        return visit.result()
    finally:
        await guide.end()


async def test_the_browser_comes_back_to_this_machine() -> None:
    guide = Guide()

    async def browse() -> None:
        assert guide.waiting is not None
        assert guide.waiting.redirect_uri.startswith("http://127.0.0.1:")
        async with httpx.AsyncClient(trust_env=False) as browser:
            page = await browser.get(f"{guide.waiting.redirect_uri}?code=c&state=st4te")
        assert "can be closed" in page.text

    assert await visited(guide, browse()) == Redirected({"code": "c", "state": "st4te"})
    assert (guide.waiting, guide.busy, guide.logins) == (None, False, 1)


@pytest.mark.parametrize("text", ["http://127.0.0.1:1/callback?code=c&state=st4te", "code=c&state=st4te", " c "])
async def test_guide_takes_a_pasted_url_or_code(text: str) -> None:
    guide = Guide()

    async def paste() -> None:
        assert "neither" in guide.take("two words")
        assert "neither" in guide.take("https://as.example/?hello=1")
        assert guide.take(text) == ""
        assert "not waiting" in guide.take(text)

    assert await visited(guide, paste()) == Redirected({"code": "c", "state": "st4te"})
    assert "not waiting" in guide.take(text)


async def test_one_login_may_visit_twice() -> None:
    guide = Guide()
    redirect = await guide.begin("")
    came = []
    for code in "ab":
        async with asyncio.TaskGroup() as tasks, httpx.AsyncClient(trust_env=False) as browser:
            visit = tasks.create_task(guide.visit(OpenAddress(URL, redirect, "st4te")))
            await until(lambda: guide.waiting is not None, "somebody is waited for")
            for stray in ("", "?code=stray", "?code=stray&state=another", "?error=access_denied", "?state="):
                assert (await browser.get(f"{redirect}{stray}")).status_code == 400
            assert guide.waiting is not None
            assert (await browser.get(f"{redirect}?code={code}&state=st4te")).status_code == 200
            assert (await browser.get(f"{redirect}?code=again&state=st4te")).status_code == 410
        came.append(visit.result())
    await guide.end()
    assert came == [Redirected({"code": code, "state": "st4te"}) for code in "ab"]


async def test_a_person_may_give_up() -> None:
    guide = Guide()

    async def leave() -> None:
        guide.give_up()
        guide.give_up()

    assert await visited(guide, leave()) == Abandoned("it was cancelled")
    guide.give_up()


async def test_guide_gives_up_after_its_patience() -> None:
    guide = Guide(patience_s=0.01)
    redirect = await guide.begin("")
    came = await guide.visit(OpenAddress(URL, redirect, "s"))
    await guide.end()
    assert isinstance(came, Abandoned)
    assert "no redirect from the browser" in came.why


async def test_the_port_of_a_registered_client_is_used_again_where_it_is_free(free_port: int) -> None:
    guide = Guide()
    assert await guide.begin(f"http://127.0.0.1:{free_port}/callback") == f"http://127.0.0.1:{free_port}/callback"
    await guide.end()


async def test_a_known_port_that_is_taken_gives_way_to_another(taken: Listener) -> None:
    guide = Guide()
    redirect = await guide.begin(f"{taken.url}/callback")
    await guide.end()
    assert redirect.startswith("http://127.0.0.1:")
    assert str(taken.port) not in redirect


async def test_guide_reports_a_requested_port_in_use(taken: Listener) -> None:
    guide = Guide(port=taken.port)
    with pytest.raises(AuthorizationNeeded, match=f"Port {taken.port} for the redirect is in use") as caught:
        await guide.begin("")
    assert "--oauth-port" in caught.value.hint
    await guide.end()


async def test_an_address_of_ones_own_is_listened_at_if_it_is_here(free_port: int, taken: Listener) -> None:
    here = Guide(callback=f"http://localhost:{free_port}/back")
    assert await here.begin("") == f"http://localhost:{free_port}/back"
    async with httpx.AsyncClient(trust_env=False) as browser:
        assert (await browser.get(f"http://127.0.0.1:{free_port}/callback")).status_code == 404
        assert (await browser.get(f"http://127.0.0.1:{free_port}/back?code=c")).status_code == 400
    await here.end()
    full = Guide(callback=f"{taken.url}/back")
    with pytest.raises(AuthorizationNeeded, match="in use"):
        await full.begin("")
    await full.end()


async def test_an_address_elsewhere_is_waited_for_with_paste_alone() -> None:
    guide = Guide(callback="https://us.example/back")

    async def paste() -> None:
        assert guide.waiting is not None
        assert guide.waiting.port == 0
        guide.take("https://us.example/back?code=c&state=st4te")

    assert await visited(guide, paste()) == Redirected({"code": "c", "state": "st4te"})


async def test_the_ladder_is_of_the_login_that_goes_on() -> None:
    guide = Guide()
    await guide.begin("")
    guide.hear(LoginStep("a", StepVerdict.BROKEN))
    assert guide.failed
    await guide.end()
    await guide.begin("")
    assert (guide.login_steps, guide.failed, guide.busy) == ((), False, True)
    await guide.end()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
async def taken() -> AsyncIterator[Listener]:
    async def nothing(request: HttpRequest) -> HttpResponse:
        return HttpResponse(404)

    async with Listener(nothing) as listener:
        yield listener


async def test_the_browsers_visit_is_what_was_waited_for() -> None:
    async with Loopback() as loopback, httpx.AsyncClient(trust_env=False) as browser:
        assert loopback.redirect_uri.startswith("http://127.0.0.1:")
        came = loopback.expect("s")
        page = await browser.get(f"{loopback.redirect_uri}?code=a%2Bb&state=s&code=second")
        assert await came == Redirected({"code": "a+b", "state": "s"}, ("code",))
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
            assert "The login continues" in page.text
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
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
        writer.close()
        await writer.wait_closed()
    assert not caplog.records


def test_a_flood_of_parameters_is_no_redirect() -> None:
    assert redirected("&".join(f"a{n}=1" for n in range(100))) == Redirected({})
