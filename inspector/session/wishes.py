"""What is asked of a conversation before there is one: how long to wait, and how to fetch lists.

Imported with the command line, before a server is started; so nothing here imports an event loop.
"""

import msgspec


class Clocks(msgspec.Struct, frozen=True):
    """How long to wait, in seconds; None is for ever."""

    idle_s: float | None = 60.0
    total_s: float | None = 3600.0


class ListWishes(msgspec.Struct, frozen=True):
    """How a person wants lists to be fetched."""

    by_itself: bool = True
    """Whether a list is fetched anew when the server says that it has changed."""
    page_by_page: bool = False
    """Whether one page is fetched at a time."""
