"""The server's log: the requested level, and the stderr output during a request."""

import re
from collections.abc import Sequence
from typing import Final

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.present import spans
from inspector.present.spans import Span
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import Stderr
from inspector.protocol.revisions._shape import LogLevel
from inspector.text import decode, visible

NO_MESSAGES = "none: request no log messages"
"""The choice next to the levels, if each request carries its level."""

_CAPABILITY = "logging"
_MOST_LINES = 6
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception)\b(?::|$)")
"""A line that names an exception, in the traces of Python and JavaScript."""


class Meanwhile:
    """The lines that the server wrote to stderr from a request until shortly after its end.

    stderr is a separate pipe: a line that was written before the response may be read after it.
    """

    _MOMENT_NS: Final = 100_000_000
    _MOST: Final = 2000
    _AT_ONCE: Final = 50_000
    """Maximum entries that one call of `look` examines."""

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self._journal, self._exchange = journal, exchange
        self._next = exchange.request_frame + 1
        self._is_over = False
        self.lines: list[tuple[int, str]] = []
        """Entry and text, safe to show; at most 2,000, oldest first."""

    def look(self) -> bool:
        """Add new lines; return whether there were any. Nearly free once the time is over."""
        store, ended, before = self._journal.store, self._exchange.ended_ns, len(self.lines)
        last = min(self._journal.count, self._next + self._AT_ONCE)
        if self._is_over or last < self._next:
            return False
        limit = None if ended is None else ended + self._MOMENT_NS
        kinds = store.columns(self._next, last).kinds
        end = next((n for n in range(self._next, last + 1) if limit and store.time_ns(n) > limit), last + 1)
        self._is_over = end <= last
        at = kinds.find(EntryKind.STDERR)
        while 0 <= at < end - self._next and len(self.lines) < self._MOST:
            what = store.entry(self._next + at).what
            if isinstance(what, Stderr):
                self.lines.append((self._next + at, visible(decode(what.payload).rstrip(), limit=2000)))
            at = kinds.find(EntryKind.STDERR, at + 1)
        self._is_over = self._is_over or len(self.lines) >= self._MOST
        self._next = end
        return len(self.lines) > before


def telling_lines(lines: Sequence[str]) -> list[str]:
    """Return at most six lines of stderr: the first exception, from where it was raised, and the end.

    A library that passes an exception on writes it first, and its own one last.
    """
    first = next((at for at, line in enumerate(lines) if _EXCEPTION.match(line)), None)
    if first is None or first >= len(lines) - _MOST_LINES:
        return list(lines[-_MOST_LINES:])
    return [*lines[max(0, first - 3) : first + 1], *lines[first + 1 :][-(_MOST_LINES - 4) :]]


def exception_in(lines: Sequence[str]) -> str:
    """Return the last line that names an exception, else the last line with text; "" if there is none."""
    texts = [line.strip() for line in lines if line.strip()]
    return next((line for line in reversed(texts) if _EXCEPTION.match(line)), texts[-1] if texts else "")


def takes_levels(journal: Journal) -> bool:
    """Whether each request carries its own log level."""
    opening = journal.conversation.opening
    return opening is not None and opening.revision.log_level is LogLevel.META


def requested_level(
    journal: Journal, setting: Exchange | None, stamped: str, *, set_key: str = ""
) -> tuple[list[Span], list[Span]]:
    """Return the requested level, and what the server declares about logging.

    `setting` is the newest request that sets a level, `stamped` the level that every request carries, `set_key`
    the key that sets it; "" if it can't be set.
    """
    opening = journal.conversation.opening
    declares = opening is not None and _CAPABILITY in opening.capabilities
    return [("Log", "title"), ("   ", "text"), *_asked(journal, setting, stamped)], _declared(
        journal, declares, set_key
    )


def _declared(journal: Journal, declares: bool, set_key: str) -> list[Span]:
    if journal.conversation.opening is None:
        return []
    if declares:
        return [(f"{set_key} sets the level", "faint")] if journal.live and set_key else []
    return [(f"{spans.WARNING} no logging capability: stderr only", "warning")]


def _asked(journal: Journal, setting: Exchange | None, stamped: str) -> list[Span]:
    if takes_levels(journal) and setting is None:
        if stamped:
            return [("each request: ", "muted"), (stamped, "accent"), (" and higher", "muted")]
        return [("requests: no log messages", "muted")] if journal.live else []
    if setting is None:
        return [("level not set: server default", "muted")] if journal.conversation.opening else []
    level: Span = (text.visible(setting.target, limit=40) or "?", "accent")
    number: Span = (f"  #{setting.request_frame}", "faint")
    match setting.state:
        case ExchangeState.PENDING if journal.live:
            return [(f"{spans.PENDING} setting ", "pending"), level, number]
        case ExchangeState.ANSWERED | ExchangeState.LATE:
            return [level, (" and higher (logging/setLevel)", "muted"), number]
        case ExchangeState.ERROR:
            return [(f"{spans.ERROR} rejected ", "error"), level, (f", error {setting.error_code}", "error"), number]
        case _:
            return [(f"{spans.WARNING} no response to ", "warning"), level, number]
