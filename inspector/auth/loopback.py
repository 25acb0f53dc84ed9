"""The place on this machine where the browser comes back to (RFC 8252, section 7.3).

It listens on 127.0.0.1 while a login waits and no longer, takes the one visit that carries the login's state, and shows
that the window can be closed.
"""

import asyncio
import secrets
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from inspector.auth.steps import Redirected
from inspector.transports.http.listener import Allowance, HttpRequest, HttpResponse, Listener

PATH = "/callback"
_MOST = 50
"""Parameters of a redirect: real ones have four."""
_PAGE = b"""<!doctype html><meta charset="utf-8"><title>mcp-inspect</title>
<body style="font: 16px system-ui; margin: 4em"><p>mcp-inspect has what it waited for. This window can be closed."""
_OTHER_PAGE = b"""<!doctype html><meta charset="utf-8"><title>mcp-inspect</title>
<body style="font: 16px system-ui; margin: 4em"><p>This is not the answer to the login that mcp-inspect waits for: its
<code>state</code> is missing or another. The login goes on. If you did log in just now, paste this page's address into
mcp-inspect."""
_TYPE = ("Content-Type", "text/html; charset=utf-8")
_GUARD = (("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))


class Loopback:
    """Waits for the browser. An async context manager: it listens inside."""

    def __init__(self, port: int = 0, path: str = PATH) -> None:
        """`port` 0 takes a free one."""
        self._path = path
        self._listener = Listener(self._answer, port=port, allowance=Allowance(body=1024))
        self._came: asyncio.Future[Redirected] | None = None
        self._state = ""
        self.ignored = 0
        """Requests to the callback that were not the end of the login: they lacked its state."""

    @property
    def redirect_uri(self) -> str:
        """Where the browser has to be sent back to."""
        return f"{self._listener.url}{self._path}"

    def expect(self, state: str) -> asyncio.Future[Redirected]:
        """Take the one visit that carries this state; done when the browser has come.

        Any other request is answered and changes nothing: a page that is open elsewhere must not end the login.
        """
        if self._came is None or self._came.done():
            self._came = asyncio.get_running_loop().create_future()
        self._state = state
        return self._came

    async def __aenter__(self) -> Self:
        """Listen. Raises: OSError if the port is taken."""
        await self._listener.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._listener.close()

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            parts = urlsplit(request.target)
        except ValueError:  # no address at all
            return HttpResponse(404)
        if request.method != "GET" or parts.path != self._path:
            return HttpResponse(404)
        came = redirected(parts.query)
        if self._came is None or not self._is_answer(came):
            self.ignored += 1
            return HttpResponse(400, (_TYPE, *_GUARD), _OTHER_PAGE)
        if self._came.done():
            return HttpResponse(410)
        self._came.set_result(came)
        return HttpResponse(200, (_TYPE, *_GUARD), _PAGE)

    def _is_answer(self, came: Redirected) -> bool:
        """Whether a redirect ends the login that is waited for."""
        state = came.params.get("state", "")
        return bool(self._state) and secrets.compare_digest(state.encode("utf-8", "replace"), self._state.encode())


def redirected(query: str) -> Redirected:
    """What a redirect says; of two with one name the first. One with too many parameters says nothing."""
    found: dict[str, str] = {}
    with suppress(ValueError):
        for name, value in parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST):
            found.setdefault(name, value)
    return Redirected(found)


def pasted(text: str, state: str) -> Redirected | None:
    """What a person has copied: the whole address that the browser ended at, or the code alone. None for neither."""
    text = text.strip()
    if "?" in text or "=" in text:
        query = text.partition("?")[2].partition("#")[0] if "?" in text else text
        came = redirected(query)
        return came if came.params else None
    return Redirected({"code": text, "state": state}) if text and " " not in text else None
