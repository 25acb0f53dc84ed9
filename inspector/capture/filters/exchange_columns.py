"""What filters ask of exchanges, in columns: one that has ended is looked at once, however many filters ask.

One that is open is asked again each time; one that changes after its end must be forgotten. About 40 bytes each.
"""

import threading
from array import array
from collections.abc import Callable

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange, ExchangeState

_NONE = -(2**63)
"""Stands for "there is no such number"."""
_UNLISTED = 0xFFFF_FFFF
_MOST_WORDS = 50_000
"""So many different methods and targets get a number; the exchange is asked for others."""
_STATES = {
    ExchangeState.PENDING: "pending",
    ExchangeState.ERROR: "error",
    ExchangeState.CANCELLED: "cancelled",
    ExchangeState.LATE: "late",
    ExchangeState.LOST: "lost",
}


def state_of(exchange: Exchange) -> str:
    """What became of it, as the field `status` says it."""
    return "tool-error" if exchange.tool_error else _STATES.get(exchange.state, "ok")


_TEXTS: dict[str, Callable[[Exchange], str]] = {
    "method": lambda exchange: exchange.method,
    "target": lambda exchange: exchange.target,
    "status": state_of,
    "revision": lambda exchange: exchange.revision or "",
}
_NUMBERS: dict[str, Callable[[Exchange], int | None]] = {
    "dur": lambda exchange: exchange.duration_ns,
    "error.code": lambda exchange: exchange.error_code,
    "request": lambda exchange: exchange.request_frame,
    "answer": lambda exchange: exchange.answer_frame,
}


class ExchangeColumns:
    """The exchanges of one journal, by number. Any thread may ask."""

    def __init__(self, journal: Journal) -> None:
        self._exchanges = journal.conversation.exchanges
        self._lock = threading.Lock()
        self._known = bytearray(1)
        """At a number: 1 if the columns hold that exchange."""
        self._texts = {name: array("I", [0]) for name in _TEXTS}
        self._numbers = {name: array("q", [0]) for name in _NUMBERS}
        self._words: list[str] = []
        self._by_word: dict[str, int] = {}

    def exchange(self, number: int) -> Exchange:
        """The exchange itself."""
        return self._exchanges[number - 1]

    def forget(self, number: int) -> None:
        """It has changed."""
        if number < len(self._known):
            self._known[number] = 0

    def text_test(self, name: str, test: Callable[[str], bool]) -> Callable[[int], bool]:
        """A test of an exchange's number by a text of its: "method", "target", "status" or "revision"."""
        column, words, read = self._texts[name], self._words, _TEXTS[name]
        verdicts: dict[int, bool] = {}

        def by_number(number: int) -> bool:
            if not self._has(number):
                return test(read(self.exchange(number)))
            word = column[number]
            verdict = verdicts.get(word)
            if verdict is None:
                if word == _UNLISTED:
                    return test(read(self.exchange(number)))
                verdict = verdicts[word] = test(words[word])
            return verdict

        return by_number

    def number_test(self, name: str, test: Callable[[int], bool]) -> Callable[[int], bool]:
        """A test of an exchange's number by a number of its: "dur" or "error.code"; False where there is none."""

        def by_number(number: int) -> bool:
            found = self.number(name, number)
            return found is not None and test(found)

        return by_number

    def number(self, name: str, number: int) -> int | None:
        """A number of an exchange: "dur", "error.code", or the entry of its "request" or "answer"; None without one."""
        if self._has(number):
            found = self._numbers[name][number]
            return None if found == _NONE else found
        return _NUMBERS[name](self.exchange(number))

    def _has(self, number: int) -> bool:
        """Whether the columns hold an exchange; they take it in, if it has ended."""
        if number < len(self._known) and self._known[number]:
            return True
        exchange = self.exchange(number)
        if exchange.is_open:
            return False
        with self._lock:
            self._take(number, exchange)
        return True

    def _take(self, number: int, exchange: Exchange) -> None:
        missing = max(0, number + 1000 - len(self._known))
        if missing:
            for column in (*self._texts.values(), *self._numbers.values()):
                column.frombytes(bytes(missing * column.itemsize))
        for name, text in _TEXTS.items():
            self._texts[name][number] = self._number(text(exchange))
        for name, value in _NUMBERS.items():
            found = value(exchange)
            self._numbers[name][number] = found if found is not None and _NONE < found < -_NONE else _NONE
        self._known.extend(bytes(missing))
        self._known[number] = 1  # last: other threads ask meanwhile

    def _number(self, word: str) -> int:
        number = self._by_word.get(word)
        if number is None:
            if len(self._words) >= _MOST_WORDS:
                return _UNLISTED
            number = len(self._words)
            self._words.append(word)
            self._by_word[word] = number
        return number
