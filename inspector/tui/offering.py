"""Offering other things to the server: the switches are shown, and what was chosen becomes true.

A recording offers nothing. What was chosen stays chosen for every later connection of this run.
"""

from typing import TYPE_CHECKING

from inspector.tui.subject import Stage

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp


def show_offers(app: "InspectApp") -> None:
    """Show the switches."""
    subject = app.subject
    if not subject.can_act:
        app.say("A recording offers nothing.")
        return
    from inspector.tui.screens.offers import OffersScreen

    opening = subject.opening

    async def take(chosen: frozenset[str] | None) -> None:
        if chosen is not None and chosen != subject.offers:
            await offer(app, chosen)

    app.push_screen(OffersScreen(subject.offers, opening.revision if opening else None), take)


async def offer(app: "InspectApp", chosen: frozenset[str]) -> None:
    """Offer this from now on: at once where that can be, else by a new connection."""
    app.tab.offers = chosen
    if app.subject.stage is Stage.OPEN and await app.subject.declare(chosen):
        app.say("Offered from the next request on.")
    else:
        await app.action_reconnect()


class Offering:
    """The app's action for it."""

    def action_offers(self: "InspectApp") -> None:  # type: ignore[misc]
        """Show what is offered to the server, as switches."""
        show_offers(self)
