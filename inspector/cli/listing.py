"""The options about lists: when they are fetched anew in the interface, how many pages, and where to begin."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
import msgspec

from inspector.errors import UsageError
from inspector.session.wishes import ListWishes

F = TypeVar("F", bound=Callable[..., Any])

_OF_SCREENS = [
    click.option(
        "--refresh",
        type=click.Choice(["auto", "manual"]),
        default="auto",
        help="Fetch lists that change by itself, or when asked.",
    ),
    click.option(
        "--pages", type=click.Choice(["all", "one"]), default="all", help="Fetch lists whole, or page by page."
    ),
]
_OF_THE_LIST = [
    click.option("--page-by-page", is_flag=True, help="Fetch one page; it says how to get the next."),
    click.option("--cursor", metavar="CURSOR", help="Begin with the page of this cursor."),
    click.option("--limit", type=int, metavar="N", help="Fetch no more than N pages."),
]


class Extent(msgspec.Struct, frozen=True):
    """Which pages of a list are wanted."""

    cursor: str | None = None
    """Where to begin; None: at the first."""
    most_pages: int | None = None
    """None: all."""


def screen_lists(command: F) -> F:
    """Add what commands with the interface take."""
    for option in reversed(_OF_SCREENS):
        command = option(command)
    return command


def extent_options(command: F) -> F:
    """Add what the command that lists takes."""
    for option in reversed(_OF_THE_LIST):
        command = option(command)
    return command


def wishes(options: Mapping[str, Any]) -> ListWishes:
    """How the interface fetches lists; commands without one have no such options."""
    return ListWishes(
        by_itself=options.get("refresh", "auto") == "auto", page_by_page=options.get("pages", "all") == "one"
    )


def extent(kind: str, *, page_by_page: bool, cursor: str | None, limit: int | None) -> Extent:
    """Which pages are wanted of a kind, or of "all". Raises: UsageError."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: that is no number of pages", hint="Give 1 or more.")
    if page_by_page and limit is not None:
        raise UsageError("both --page-by-page and --limit", hint="--page-by-page is --limit 1.")
    if kind == "all" and cursor is not None:
        raise UsageError("--cursor belongs to one list", hint="Name it: tools, resources, templates or prompts.")
    return Extent(cursor, 1 if page_by_page else limit)
