"""What the diagnoses of HTTP know of the attempts to connect."""

import msgspec

from inspector.checks.registry import Violation
from inspector.checks.state import HttpExchangeState


class HtmlPage(msgspec.Struct):
    """An HTML page in response to a POST."""

    frame: int
    http: HttpExchangeState
    target: str
    status: int
    title: str = ""


class ConnectNotes(msgspec.Struct):
    """What the attempts to connect have shown so far, until one of them works."""

    page: HtmlPage | None = None
    closed: HttpExchangeState | None = None
    """The first exchange that was closed without a response."""
    probe: dict[str, Violation] = {}
    """By the id of a check: what was wrong with the response to the probe for the era."""
    unknown_method: int | None = None
    """The HTTP exchange of an error about an unknown method."""
    named_endpoint: str | None = None
    """URL in the newest endpoint event."""
    endpoint_works: bool = False
    """Whether a POST to that URL succeeded."""
    nameless_endpoint: tuple[int, str] | None = None
    """Entry and URL of an endpoint event that lacks its name."""
    first_get: tuple[int, int, HttpExchangeState | None] | None = None
    """Entry, time and exchange of the first GET."""
    first_stream: int = 0
    """Entry of the headers of the first stream of GET; 0 if there is none."""
    compression: str = ""
    """Its Content-Encoding; "" if it has none."""
    first_event: str = ""
    """Beginning of the first event of a GET, other than an endpoint event."""
    rejected: Violation | None = None
    """The rejection of the newest `initialize`, else of the first other request."""
    rejected_initialize: bool = False
    rejected_over_sse: Violation | None = None
