"""The two clocks of a call that runs, in words: what is left of each, and whether the server waits for the person.

The idle clock starts anew with each word of progress and stands still while a question waits; the total one runs.
"""

import math

import msgspec

from inspector.protocol.exchanges import Exchange
from inspector.session.desk import TicketState
from inspector.session.waiting import Left
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject
from inspector.viewmodels import text
from inspector.viewmodels.roles import Role, Span

_SHORT_S = 10
"""With so little left a clock is told of as a warning."""


class Clocks(msgspec.Struct, frozen=True):
    """How the clocks of a call stand."""

    left: Left | None = None
    """None if nobody waits for an answer: it was not sent yet, or the person is waited for between two rounds."""
    held: bool = False
    """Whether a question of the server's waits for the person."""


def clocks_of(subject: Subject, exchange: Exchange | None) -> Clocks:
    """How the clocks of a call stand now."""
    if exchange is None or not (exchange.is_open or exchange.asks):
        return Clocks()
    left = subject.clocks_of(exchange)
    waits = (each for each in subject.tickets if each.state is TicketState.WAITING)
    asked = any(each.question.cause == exchange.number for each in waits)
    return Clocks(left, asked or (left is not None and left.held))


def clock_lines(clocks: Clocks) -> list[list[Span]]:
    """The lines that tell of them; none where there is nothing to tell."""
    held: list[Span] = []
    if clocks.held:
        where = f"  {keys.key_name('!')} answers here, 5 in the Inbox"
        held = [(f"{glyphs().event} held: the server waits for you", "warning"), (where, "faint")]
    lines = [held] if held else []
    left = clocks.left
    if left is None:
        return lines
    idle = "stands still" if clocks.held and left.clocks.idle_s is not None else _of(left.idle_s, left.clocks.idle_s)
    total = _of(left.total_s, left.clocks.total_s)
    lines.append([("idle clock   ", "faint"), (idle, _role(None if clocks.held else left.idle_s))])
    lines.append([("total clock  ", "faint"), (total, _role(left.total_s))])
    return lines


def whole_seconds(clocks: Clocks) -> tuple[int | None, int | None, bool]:
    """What has to change before the lines do."""
    left = clocks.left
    if left is None:
        return None, None, clocks.held
    return _whole(left.idle_s), _whole(left.total_s), clocks.held


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else max(0, math.ceil(seconds))


def _of(seconds: float | None, whole: float | None) -> str:
    if seconds is None or whole is None:
        return "off"
    return f"{_span(_whole(seconds) or 0)} left of {_span(whole)}"


def _span(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:g} s"
    return text.human_duration(round(min(seconds, 1e9)) * 1_000_000_000)


def _role(seconds: float | None) -> Role:
    return "warning" if seconds is not None and seconds < _SHORT_S else "muted"
