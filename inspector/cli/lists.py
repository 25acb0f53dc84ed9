"""Fetches lists for a command: all pages, the exact JSON, and why a list is incomplete."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.capture.messages import result_response_of
from inspector.cli.headless import CommandSession, answered
from inspector.cli.output import Output
from inspector.documents import UNDECODABLE, prepared_type
from inspector.errors import InspectError, RequestFailed, RequestTimeout
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.list_all import ENDED_BY_EMPTY, Pages
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.listed_items import LISTS, Prompt
from inspector.protocol.revisions.openings import METHOD_NOT_FOUND, Opening
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import counted

if TYPE_CHECKING:
    from inspector.capture.journal import Journal

_MOST_TIMEOUTS = 2
"""Number of list timeouts after which no further list is requested."""


class Extent(msgspec.Struct, frozen=True):
    """The pages of a list to fetch."""

    cursor: str | None = None
    """Cursor of the first page; None for the beginning."""
    most_pages: int | None = None
    """Maximum number of pages; None for all."""


_ALL = Extent()


class FetchedList(msgspec.Struct, frozen=True):
    """A list as far as it could be fetched."""

    kind: str
    items: tuple[Any, ...]
    """Items as JSON values; for the exact text see `exact`."""
    exact: tuple[Any, ...]
    """Items as `msgspec.Raw`, byte for byte."""
    error: Any = None
    """JSON-RPC error in place of a page; None if there is none."""
    about: dict[str, Any] = {}
    """Other facts: pages, next cursor, caching hints, anomalies."""
    failure: InspectError | None = None
    """Why the request got no response; None if it got one."""

    @property
    def missing(self) -> str:
        """Why the list is missing or incomplete, as a sentence; "" if it is complete.

        A server with resources need not implement resources/templates/list: the list counts as empty then.
        """
        if self.failure is not None:
            return str(self.failure)
        if self.kind == "templates" and peek.integer(self.error, "code") == METHOD_NOT_FOUND:
            return ""
        stopped = str(self.about.get("stopped", ""))
        return self.refusal or ("" if stopped == ENDED_BY_EMPTY else stopped)

    @property
    def refusal(self) -> str:
        """The error as a sentence; "" if there is none."""
        if self.error is None:
            return ""
        code, message = peek.at(self.error, "code"), peek.text(self.error, "message") or ""
        where = f", after {counted(len(self.items), 'item')}" if self.items else ""
        return f"{LISTS[self.kind].method} failed with JSON-RPC error {code}: {message}{where}"


@prepared_type
class _Result(msgspec.Struct):
    result: dict[str, msgspec.Raw]


def declared(opening: Opening) -> tuple[str, ...]:
    """Return the kinds of list that the server's capabilities declare."""
    return tuple(kind for kind, listed in LISTS.items() if listed.capability in opening.capabilities)


async def fetch_each(visit: CommandSession, kinds: Iterable[str], extent: Extent = _ALL) -> dict[str, FetchedList]:
    """Fetch several lists, by kind; a failed one does not stop the others.

    Raises: what `answered` raises if no list can be fetched: connection lost, or credentials missing.
    """
    found: dict[str, FetchedList] = {}
    timeouts = 0
    for kind in kinds:
        try:
            if timeouts >= _MOST_TIMEOUTS:
                raise RequestTimeout(f"{LISTS[kind].method} was not sent: {timeouts} lists timed out")
            found[kind] = await fetch(visit, kind, extent)
        except (RequestFailed, RequestTimeout) as error:
            timeouts += isinstance(error, RequestTimeout)
            found[kind] = FetchedList(kind, (), (), about={"pages": 0, "nextCursor": None}, failure=error)
    return found


def raise_failure(output: Output, fetched: Iterable[FetchedList]) -> None:
    """Raise the first failure to get a response; print the others as warnings.

    Raises: RequestFailed, RequestTimeout.
    """
    failures = [each.failure for each in fetched if each.failure is not None]
    for failure in failures[1:]:
        output.warn(str(failure))
    if failures:
        raise failures[0]


def nearest(name: str, names: Sequence[str]) -> str:
    """Return the name that was probably meant, as a remark in parentheses; "" without one."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


async def fetch_prompt(visit: CommandSession, name: str) -> Prompt | None:
    """Return a prompt as it is listed, with a warning if the list lacks it; None without it or without a list."""
    if not peek.has(visit.opening.capabilities, "prompts"):
        return None
    fetched = await fetch(visit, "prompts")
    prompts = [Prompt(item) for item in fetched.items]
    found = next((each for each in prompts if each.name == name), None)
    if found is None and fetched.error is None:
        visit.output.warn(f"{name!r} is not among the prompts listed{nearest(name, [each.name for each in prompts])}")
    return found


async def fetch(visit: CommandSession, kind: str, extent: Extent = _ALL) -> FetchedList:
    """Fetch the pages of a list; warn on stderr if it is incomplete.

    Raises: what `answered` raises, for a page without a response.
    """
    pages = await visit.session.list_all(kind, cursor=extent.cursor, most_pages=extent.most_pages)
    exact = tuple(islice(_exact(visit.session.journal, pages), len(pages.items)))
    error = None
    if pages.failed is not None:
        message = answered(pages.failed, LISTS[kind].method).message
        error = message.error if isinstance(message, ErrorResponse) else None
    elif pages.stopped:
        count = counted(len(pages.items), "item")
        visit.output.warn(f"{LISTS[kind].method}: {pages.stopped}; {count} up to there")
    elif pages.next_cursor is not None:
        visit.output.narrate(
            f"{LISTS[kind].method}: there is more; go on with --cursor {shlex.quote(pages.next_cursor)}"
        )
    listing = visit.session.journal.conversation.catalogue.listings[kind]
    for text in (*listing.remarks, *(listing.freshness.flaws if listing.freshness else ())):
        if text not in pages.stopped:
            visit.output.warn(f"{LISTS[kind].method}: {text}")
    about = _about(visit.session.journal, pages, listing)
    return FetchedList(kind, pages.items, exact if len(exact) == len(pages.items) else pages.items, error, about)


async def has_tools_or_none(visit: CommandSession) -> bool:
    """Fetch the tools; return False, with a warning, if a list that is declared is missing. Raises as `fetch`."""
    fetched = await fetch(visit, "tools")
    if peek.integer(fetched.error, "code") == METHOD_NOT_FOUND and "tools" not in declared(visit.opening):
        visit.output.narrate("the server has no tools")
        return True
    if fetched.error:
        visit.output.warn(fetched.refusal)
    return not fetched.missing


def _about(journal: "Journal", pages: Pages, listing: Listing) -> dict[str, Any]:
    """Return pages, next cursor, anomalies, and the caching hints of the last page, valid or not."""
    found: dict[str, Any] = {"pages": pages.pages, "nextCursor": pages.next_cursor}
    if pages.stopped:
        found["stopped"] = pages.stopped
    if remarks := [*listing.remarks, *(listing.freshness.flaws if listing.freshness else ())]:
        found["remarks"] = remarks
    asked = _answered(journal, pages.kind)
    return found | (caching_hints(journal, asked[-1]) if asked else {})


def caching_hints(journal: "Journal", exchange: Exchange) -> dict[str, Any]:
    """Return `ttlMs` and `cacheScope` of a response as received; {} if there are none."""
    response = result_response_of(journal, exchange)
    result = None if response is None else response.result
    return {name: peek.at(result, name) for name in ("ttlMs", "cacheScope") if peek.has(result, name)}


def _answered(journal: "Journal", kind: str) -> list[Exchange]:
    """Return the page requests that got a page."""
    method = LISTS[kind].method
    exchanges = journal.conversation.exchanges
    return [each for each in exchanges if each.method == method and each.state is ExchangeState.ANSWERED]


def _exact(journal: "Journal", pages: Pages) -> Iterator[Any]:
    """Yield the items exactly as in the frames."""
    listed = LISTS[pages.kind]
    for exchange in _answered(journal, pages.kind)[-pages.pages :] if pages.pages else ():
        yield from _items(journal, exchange, listed.member)


def _items(journal: "Journal", exchange: Exchange, member: str) -> list[Any]:
    frame = journal.store.entry(exchange.answer_frame or 0).what
    assert isinstance(frame, Frame)
    try:
        return msgspec.json.decode(
            msgspec.json.decode(frame.payload, type=_Result).result[member], type=list[msgspec.Raw]
        )
    except (KeyError, *UNDECODABLE):
        response = result_response_of(journal, exchange)
        return [] if response is None else peek.items(response.result, member)
