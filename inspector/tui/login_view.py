"""What a subject says of a login: the part of it that the dialog and the Server screen talk to.

The guide lives on the engine's loop; its ladder and whom it waits for are read from here, and it is told there.
"""

import asyncio
from typing import TYPE_CHECKING

from inspector.errors import AuthorizationNeeded
from inspector.session.engine import Live

if TYPE_CHECKING:  # of servers that are reached by URL
    from inspector.auth.guide import Guide


class LoginView:
    """Nobody logs in."""

    @property
    def guide(self) -> "Guide | None":
        """Whoever takes a person to a login; None where nobody does. To be read alone."""
        return None

    @property
    def refused(self) -> bool:
        """Whether the server wants credentials that nobody gave, or refuses those it got."""
        return False

    async def take_pasted(self, text: str) -> str:
        """Go on with what the browser ended at; "" if that will do, else what is wrong with it."""
        return "nothing is waited for now"

    async def give_login_up(self) -> None:
        """End the login that goes on."""


class LiveLoginView(LoginView):
    """The guide of a live conversation."""

    _live: Live

    @property
    def guide(self) -> "Guide | None":
        """As the conversation was begun with it."""
        return self._live.settings.guide

    @property
    def refused(self) -> bool:
        """By the error that ended it."""
        session = self._live.session
        return session is not None and isinstance(session.error, AuthorizationNeeded)

    async def take_pasted(self, text: str) -> str:
        """Hand it over."""
        guide = self.guide
        if guide is None:
            return await super().take_pasted(text)

        async def work() -> str:
            return guide.take(text)

        return await asyncio.wrap_future(self._live.engine.submit(work()))

    async def give_login_up(self) -> None:
        """Say so."""
        guide = self.guide
        if guide is None:
            return

        async def work() -> None:
            guide.give_up()

        await asyncio.wrap_future(self._live.engine.submit(work()))
