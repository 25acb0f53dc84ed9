"""Matching of progress notifications to requests, by progress token."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from inspector.protocol import peek
from inspector.protocol.exchange_log import NEVER, ExchangeLog
from inspector.protocol.exchanges import Exchange, Progress
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import RequestId, encode

_REMEMBERED = 4_000
"""Number of tokens that are remembered, in addition to those of open requests."""
_SLACK = 1_000
"""Number of additional tokens after which the oldest are removed."""
_LARGEST = 1e300
"""Beyond it, numbers are treated as invalid."""
_RAW = 60
"""Maximum length of a kept value that is not a number."""


class ProgressTracker:
    """Progress tokens and their exchanges.

    A reused token belongs to the newer request. Tokens are remembered long after the response, so that late progress
    still finds its request.
    """

    def __init__(self, exchanges: ExchangeLog) -> None:
        self.exchanges = exchanges
        self._by_token: dict[tuple[Direction, RequestId, int], int] = {}
        """Number of the exchange by sender, token and session, the latest at the end."""

    def opened(self, exchange: Exchange, params: Any) -> None:
        """Record the token of a request, if it has one."""
        token = peek.request_id(params, "_meta", "progressToken")
        if token is not None:
            self.given(exchange, token)

    def given(self, exchange: Exchange, token: RequestId) -> None:
        exchange.progress_token = token
        key, known = (exchange.sender, token, exchange.session), self._by_token
        if key in known:
            del known[key]
            known[key] = exchange.number
            return
        known[key] = exchange.number
        if len(known) > _REMEMBERED and not len(known) % _SLACK:
            self._forget_the_oldest()

    def notified(self, frame: Frame, params: Any, session: int = 0, beside: Exchange | None = None) -> Exchange | None:
        """Process a notification. Return its request, with its progress updated; None if the token is unknown.

        `beside` is the only open request on its HTTP exchange.
        """
        token = peek.request_id(params, "progressToken")
        asker = Direction.TO_SERVER if frame.direction is Direction.FROM_SERVER else Direction.FROM_SERVER
        exchange = None if token is None else self._of(asker, token, session)
        if beside is not None and token is not None and beside.progress_token == token:
            exchange = beside
        if exchange is None:
            return None
        exchange.progress = progress_in(params, frame=frame.n, time_ns=frame.time_ns, before=exchange.progress)
        return exchange

    def notified_plain(
        self, asker: Direction, token: RequestId, value: float, total: float | None, message: str, n: int, time_ns: int
    ) -> Exchange | None:
        """Do what `notified` does if the values are valid and the token is known; otherwise do nothing.

        `asker` is the request's sender, `n` is the notification's frame.
        """
        exchange, value = self._of(asker, token), value or 0.0
        if exchange is None or not 0 <= value < _LARGEST or not (total is None or value <= total < _LARGEST):
            return None
        before = exchange.progress
        if before is None:
            exchange.progress = Progress(value, total, message, n, 1, value, time_ns, time_ns)
            return exchange
        if before.wrong or value <= before.progress:
            return None
        exchange.progress = Progress(value, total, message, n, before.count + 1, before.began, before.began_ns, time_ns)
        return exchange

    def _of(self, asker: Direction, token: RequestId, session: int = 0) -> Exchange | None:
        number = self._by_token.get((asker, token, session))
        return None if number is None else self.exchanges.at(number)

    def _forget_the_oldest(self) -> None:
        """Remove the oldest tokens, except those of open requests."""
        known, ends = self._by_token, self.exchanges.ends
        for key, number in list(islice(known.items(), len(known) - _REMEMBERED)):
            if ends[number] != NEVER:
                del known[key]


def progress_in(params: Any, *, frame: int = 0, time_ns: int = 0, before: Progress | None = None) -> Progress:
    """Return the progress that a notification reports, following `before`. Invalid values are kept and flagged.

    "The progress value MUST increase with each notification" (basic/utilities/progress).
    """
    value, total = _number(peek.at(params, "progress")), _number(peek.at(params, "total"))
    wrong = list(filter(None, before.wrong.split(", "))) if before else []
    wrong += [each for each in _wrong(params, value, total, before) if each not in wrong]
    return Progress(
        progress=value or 0.0,
        total=total,
        message=peek.text(params, "message") or "",
        frame=frame,
        count=before.count + 1 if before else 1,
        began=before.began if before else value or 0.0,
        began_ns=before.began_ns if before else time_ns,
        time_ns=time_ns,
        raw="" if value is not None else _raw(params),
        wrong=", ".join(wrong),
    )


def _raw(params: Any) -> str:
    if not peek.has(params, "progress"):
        return "(none)"
    return encode(peek.at(params, "progress"))[:_RAW].decode(errors="replace")


def _wrong(params: Any, value: float | None, total: float | None, before: Progress | None) -> Iterator[str]:
    if value is None:
        yield "no number"
    elif value < 0:
        yield "negative"
    if value is not None and before is not None and not before.raw and value <= before.progress:
        yield "goes backwards" if value < before.progress else "does not grow"
    if value is not None and total is not None and value > total:
        yield "beyond the total"
    if peek.at(params, "total") is not None and (total is None or total < 0):
        yield "no usable total"


def _number(value: Any) -> float | None:
    """Return a usable number; None for anything else, including infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return None
    return value
