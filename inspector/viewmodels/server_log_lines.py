"""One line of the server's log: what it says, and how it looks. Levels and data are any JSON, and shown as they are.

A log message that is wrong is shown all the same, with what is wrong with it in its place.
"""

from typing import Any

import msgspec

from inspector.capture.entries import Entry
from inspector.protocol import peek
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Notification, encode, read
from inspector.protocol.log_levels import LOG_MESSAGE, rank
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import lay
from inspector.viewmodels.roles import Role, Span

MOST_DECODED = 64 * 1024
"""Bytes of a frame; of a larger one the beginning is shown, and neither its level nor its logger is known."""
_SHOWN = 1000
"""Characters of a line that are made ready to be shown."""
_WIDE = 100
_LEVEL, _LOGGER = 12, 18
"""Cells."""
_ROLES: tuple[Role, ...] = ("faint", "text", "accent", "warning", "error", "error", "error", "error")
_SIGNS = (signs.NOTE, signs.NOTE, signs.NOTE, signs.WARNING, *[signs.ERROR] * 4)


class Said(msgspec.Struct, frozen=True):
    """What one line says. All of it is foreign."""

    level: Any = None
    """As it came: one of the eight, or any other JSON; None if there is none."""
    logger: str = ""
    words: str = ""
    is_stderr: bool = False
    wrong: str = ""
    """What is wrong with it, in our words; "" if nothing is."""

    @property
    def rank(self) -> int | None:
        """How grave it is; None if nobody can say."""
        return rank(self.level)

    def contains(self, wanted: str) -> bool:
        """Whether a text stands in it, in any case."""
        wanted = wanted.casefold()
        return any(wanted in part.casefold() for part in (self.words, self.logger, _level_word(self)))


def messages_in(entry: Entry) -> list[Notification]:
    """The log messages that a frame holds, in their order."""
    if not isinstance(entry.what, Frame):
        return []
    found = read(entry.what.payload)
    return [message for message in found if isinstance(message, Notification) and message.method == LOG_MESSAGE]


def of_entry(entry: Entry, place: int = 0) -> Said:
    """What the line at a place (from 0) of an entry says. Never raises: what can't be read says so."""
    if isinstance(entry.what, Stderr):
        wrong = "its bytes can't be read back" if entry.missing else ""
        return Said(words=text.decode(entry.what.payload[: 4 * _SHOWN]), is_stderr=True, wrong=wrong)
    if entry.missing or not isinstance(entry.what, Frame):
        return Said(wrong="its bytes can't be read back")
    payload = entry.what.payload
    if len(payload) > MOST_DECODED:
        size = text.human_size(len(payload))
        return Said(words=text.decode(payload[: 4 * _SHOWN]), wrong=f"{size}, shown as it begins")
    messages = messages_in(entry)
    return _of_params(messages[place].params) if place < len(messages) else Said(wrong="not a log message")


def _of_params(params: Any) -> Said:
    level, data = peek.at(params, "level"), peek.at(params, "data")
    logger = peek.at(params, "logger")
    wrong = [
        *(["no level"] if level is None else ["unknown level"] if rank(level) is None else []),
        *([] if peek.has(params, "data") else ["no data"]),
    ]
    return Said(
        level=level,
        logger=logger if isinstance(logger, str) else "" if logger is None else _json(logger),
        words=data if isinstance(data, str) else _json(data) if peek.has(params, "data") else "",
        wrong=", ".join(wrong),
    )


def _json(value: Any) -> str:
    return text.decode(encode(value))


def titles(width: int) -> list[Span]:
    """The titles of the columns."""
    cells: list[Span] = [(text.pad("time", 13 if width >= _WIDE else 9), "muted"), (text.pad("level", _LEVEL), "muted")]
    if width >= _WIDE:
        cells.append((text.pad("logger", _LOGGER), "muted"))
    return lay([*cells, ("what it says", "muted")], width)


def row_spans(said: Said, wall_ns: int, width: int) -> list[Span]:
    """A line, in exactly `width` cells."""
    when, logger = text.clock(wall_ns), text.visible(said.logger, limit=100)
    wide = width >= _WIDE
    cells: list[Span] = [(text.pad(when if wide else when[:8], 13 if wide else 9), "muted"), _level_cell(said)]
    if wide:
        cells.append((text.pad(text.fit(logger, _LOGGER - 1), _LOGGER), "target"))
    elif logger:
        cells.append((f"{logger} ", "target"))
    if said.wrong:
        cells.append((f"{signs.WARNING} {said.wrong}  ", "warning"))
    words = text.visible(said.words, limit=_SHOWN)
    if not words and not said.wrong:
        return lay([*cells, ("(nothing)", "faint")], width)
    return lay([*cells, (words, _role(said))], width)


def _level_cell(said: Said) -> Span:
    number = said.rank
    if said.is_stderr:
        return text.pad(f"{signs.STDERR} stderr", _LEVEL), "stderr"
    sign = "?" if number is None else _SIGNS[number]
    word = text.fit(text.visible(_level_word(said), limit=40), _LEVEL - 3)
    return text.pad(f"{sign} {word}", _LEVEL), "warning" if number is None else _ROLES[number]


def _level_word(said: Said) -> str:
    if said.is_stderr:
        return "stderr"
    if said.level is None:
        return "none"
    return said.level if isinstance(said.level, str) else _json(said.level)


def _role(said: Said) -> Role:
    if said.is_stderr:
        return "stderr"
    number = said.rank
    return "text" if number is None or number < 3 else _ROLES[number]
