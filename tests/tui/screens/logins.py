"""A live conversation with a server that asks for a login, for the screens that show it."""

import httpx

from inspector.auth.driver import NoAuthorizer, OAuthAuthorizer
from inspector.auth.guide import Guide
from inspector.auth.steps import LoginOptions
from inspector.auth.storage import TokenStore
from inspector.capture.journal import start_capture
from inspector.config.targets import HttpTarget
from inspector.session.engine import Engine, Live
from inspector.session.options import Settings
from inspector.tui.conversation import LiveConversation


class Entrance:
    """Begins to connect, with an engine of its own; a context manager that ends both."""

    def __init__(self, url: str, *, person: bool = True) -> None:
        self.url = url
        self.guide = Guide() if person else None
        self.store = TokenStore(None)
        self.engine = Engine()
        self.lives: list[Live] = []

    def __enter__(self) -> "Entrance":
        return self

    def __exit__(self, *_: object) -> None:
        for live in self.lives:
            live.end().result(30)
        self.engine.stop()

    def begin(self, *_: object, held: bool = False) -> Live:
        """Reconnected."""
        guide = self.guide

        def keeper(url: str) -> OAuthAuthorizer:
            if guide is None:
                return OAuthAuthorizer(url, LoginOptions(has_person=False), self.store, NoAuthorizer(url))
            return OAuthAuthorizer(url, LoginOptions(), self.store, guide, tell=guide.hear)

        settings = Settings(authorizer=keeper, guide=guide, has_person=True)
        self.lives.append(Live(self.engine, HttpTarget(self.url), start_capture(None), settings, held=held))
        return self.lives[-1]

    def subject(self) -> LiveConversation:
        """A new connection as panels see it."""
        return LiveConversation(self.begin())


async def browse(guide: Guide | None) -> None:
    """Consent in a browser that follows redirects."""
    assert guide is not None
    assert guide.waiting is not None
    async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
        await browser.get(guide.waiting.url)
