"""Which request a progress notification speaks of: the one that gave its token, in the other direction."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, Progress
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import RequestId, encode

_REMEMBERED = 4_000
"""So many tokens are known, and those of all requests that are open."""
_LARGEST = 1e300
"""Beyond it a number can't be reckoned with."""
_RAW = 60
"""Bytes of a value that is no number."""


class ProgressTracker:
    """Tokens given out, and by which exchange.

    A token given twice speaks of the newer request, and keeps speaking of it for long after the answer: late
    progress still finds its request.
    """

    def __init__(self) -> None:
        self._by_token: OrderedDict[tuple[Direction, RequestId], Exchange] = OrderedDict()

    def opened(self, exchange: Exchange, params: Any) -> None:
        """A request may have given a token."""
        token = _token(peek.at(params, "_meta", "progressToken"))
        if token is not None:
            self.given(exchange, token)

    def given(self, exchange: Exchange, token: RequestId) -> None:
        """A request gave a token."""
        exchange.progress_token = token
        self._by_token[exchange.sender, token] = exchange
        self._by_token.move_to_end((exchange.sender, token))
        if len(self._by_token) > _REMEMBERED:
            self._forget_the_oldest()

    def notified(self, frame: Frame, params: Any) -> Exchange | None:
        """The request that a notification speaks of, with its progress set; None if its token is nobody's."""
        token = _token(peek.at(params, "progressToken"))
        asker = Direction.TO_SERVER if frame.direction is Direction.FROM_SERVER else Direction.FROM_SERVER
        exchange = None if token is None else self._by_token.get((asker, token))
        if exchange is None:
            return None
        exchange.progress = progress_in(params, frame=frame.n, time_ns=frame.time_ns, before=exchange.progress)
        return exchange

    def notified_plainly(self, asker: Direction, params: bytes | msgspec.Raw, n: int, time_ns: int) -> Exchange | None:
        """What `notified` does, if nothing is wrong with the notification and its token is known; else nothing is done.

        `asker` sent the request, `n` is the notification's frame.
        """
        try:
            told = _decode_plain(params)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        exchange, value, total = self._by_token.get((asker, told.progressToken)), told.progress or 0.0, told.total
        if exchange is None or not 0 <= value < _LARGEST or not (total is None or value <= total < _LARGEST):
            return None
        before = exchange.progress
        if before is None:
            exchange.progress = Progress(value, total, told.message, n, 1, value, time_ns, time_ns)
            return exchange
        if before.wrong or value <= before.progress:
            return None
        count, began, began_ns = before.count + 1, before.began, before.began_ns
        exchange.progress = Progress(value, total, told.message, n, count, began, began_ns, time_ns)
        return exchange

    def _forget_the_oldest(self) -> None:
        """Let go of a request that has ended long ago; one that is still open is as good as new."""
        while len(self._by_token) > _REMEMBERED:
            key, exchange = next(iter(self._by_token.items()))
            self._by_token.move_to_end(key)
            if not exchange.is_open:
                del self._by_token[key]
            else:
                return


class _Plain(msgspec.Struct, gc=False):
    """A notification with which nothing is wrong."""

    progressToken: int | str  # noqa: N815, the name on the wire
    progress: int | float
    total: int | float | None = None
    message: str = ""


_decode_plain = msgspec.json.Decoder(_Plain).decode


def progress_in(params: Any, *, frame: int = 0, time_ns: int = 0, before: Progress | None = None) -> Progress:
    """What one notification says, after what was said `before`. Values that are wrong are kept, and told of.

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
    """A number that can be reckoned with; None for anything else, infinity among it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        return None
    return value


def _token(value: Any) -> RequestId | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None
