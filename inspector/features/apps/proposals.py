"""What a View asks of the user and of the model: links, messages, the model's context."""

import asyncio
from typing import Any

from inspector.auth.addresses import split
from inspector.features.apps.context import Denial
from inspector.features.apps.outlet import INVALID, ViewOutlet
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Request
from inspector.text import visible


class Proposals:
    """Answers such requests of one host. There is no model: messages and contexts are shown and recorded."""

    def __init__(self, deny: frozenset[Denial], out: ViewOutlet) -> None:
        self.model_context: Any = None
        """What the View has last put into the model's context."""
        self.opens_links = True
        """Whether a user opens links; without one they are only recorded."""
        self._deny, self._out = deny, out
        self._links: dict[str, asyncio.Future[bool]] = {}
        self._count = 0

    def forget(self) -> None:
        """Forget the links that wait: their View has gone."""
        for waiting in self._links.values():
            waiting.cancel()
        self._links.clear()

    def link_answered(self, link: str, *, opened: bool) -> None:
        """Take the user's answer to a link."""
        waiting = self._links.pop(link, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(opened)

    async def open_link(self, request: Request) -> None:
        url = peek.text(request.params, "url") or ""
        if split(url) is None:
            self._out.note("refused", f"a link other than http or https: {visible(url, limit=100)}")
            self._out.refuse(request, "Invalid URL")
        elif Denial.LINK in self._deny:
            self._out.deny(request, f"link {visible(url, limit=200)}", "Link opening denied by user")
        else:
            self._out.note("link", f"the app asks to open {visible(url, limit=200)}")
            if await self._user_opens(url):
                self._out.reply(request, {})
            else:
                self._out.deny(request, f"link {visible(url, limit=200)}", "Link opening denied by user")

    async def _user_opens(self, url: str) -> bool:
        if not self.opens_links:
            return True
        self._count += 1
        name = f"link-{self._count}"
        self._links[name] = asyncio.get_running_loop().create_future()
        self._out.tell("link", {"link": name, "url": url})
        return await self._links[name]

    async def message(self, request: Request) -> None:
        content = peek.at(request.params, "content")
        blocks = content if isinstance(content, list) else [content]
        if not all(peek.text(block, "type") for block in blocks) or not blocks:
            self._out.note("refused", "ui/message without content blocks")
            self._out.refuse(request, "Invalid message format", INVALID)
            return
        text = " ".join(peek.text(block, "text") or f"[{peek.text(block, 'type')}]" for block in blocks)
        if Denial.MESSAGE in self._deny:
            self._out.deny(request, f"message: {visible(text, limit=200)}", "Message sending denied")
            return
        self._out.note("message", f"the app says to the model: {visible(text, limit=200)}")
        self._out.reply(request, {})

    async def update_context(self, request: Request) -> None:
        content, structured = peek.at(request.params, "content"), peek.at(request.params, "structuredContent")
        if not isinstance(content, list | None) or not isinstance(structured, dict | None):
            self._out.note(
                "refused", "ui/update-model-context whose content is no array, or structuredContent no object"
            )
            self._out.refuse(request, "Invalid content format", INVALID)
            return
        if Denial.CONTEXT in self._deny:
            self._out.deny(request, "an update of the model's context", "Context update denied")
            return
        self.model_context = request.params
        text = " ".join(peek.text(block, "text") or "" for block in content or []) or str(structured)
        self._out.note("context", f"the app sets the model's context: {visible(text, limit=200)}")
        self._out.reply(request, {})
