"""What filters ask of exchanges, from the columns of their log: none of those that have ended is unpacked for it.

A text is tried once, however many exchanges have it.
"""

from collections.abc import Callable, Sequence

from inspector.capture.journal import Journal
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchange_table import NEVER, STATE_BITS, STATES, TOOL_ERROR, UNLISTED, UNLISTED_REVISION
from inspector.protocol.exchanges import Exchange, ExchangeState

_STATES = {
    ExchangeState.PENDING: "pending",
    ExchangeState.ERROR: "error",
    ExchangeState.CANCELLED: "cancelled",
    ExchangeState.LATE: "late",
    ExchangeState.LOST: "lost",
}
_WORDS = tuple(
    "tool-error" if bits & TOOL_ERROR else _STATES.get(STATES[min(bits & STATE_BITS, len(STATES) - 1)], "ok")
    for bits in range(256)
)
"""By what the column of states holds: the word of the field `status`."""
_WITH_CODE = frozenset(
    bits
    for bits in range(256)
    if bits & STATE_BITS in (STATES.index(ExchangeState.ERROR), STATES.index(ExchangeState.LATE))
)


def state_of(exchange: Exchange) -> str:
    """What became of it, as the field `status` says it."""
    return "tool-error" if exchange.tool_error else _STATES.get(exchange.state, "ok")


class TextTest:
    """A test of exchanges by a text of theirs. Any thread may ask."""

    def __init__(
        self,
        column: Sequence[int],
        names: Sequence[str],
        test: Callable[[str], bool],
        text: Callable[[int], str] | None = None,
    ) -> None:
        """`column` holds positions in `names`, or UNLISTED: `text` tells the text then; None where that can't be."""
        self._column, self._names, self._test, self._text = column, names, test, text
        self._verdicts = bytearray()
        self._looked = 0

    def __call__(self, number: int) -> bool:
        name = self._column[number]
        if name == UNLISTED and self._text is not None:
            return self._test(self._text(number))
        if name >= len(self._verdicts):
            self._judge()
        return bool(self._verdicts[name])

    @property
    def never(self) -> bool:
        """Whether it holds for none of those that there are now."""
        if len(self._verdicts) < len(self._names):
            self._judge()
        return 1 not in self._verdicts and not self._has_unlisted()

    def mark(self, need: bytes, numbers: Sequence[int]) -> bytes:
        """1 for each that is asked about and has a number for which it holds; 0 is no number."""
        if self.never:
            return bytes(len(need))
        if self._has_unlisted():
            return bytes([asked and number and self(number) for asked, number in zip(need, numbers, strict=True)])
        verdicts, column = self._verdicts, self._column
        pairs = zip(need, numbers, strict=True)
        return bytes([verdicts[column[number]] if asked and number else 0 for asked, number in pairs])

    def _judge(self) -> None:
        known, end = len(self._verdicts), len(self._names)
        verdicts = bytes(bool(self._test(name)) for name in self._names[known:end])
        self._verdicts[known:end] = verdicts  # another thread may have done the same

    def _has_unlisted(self) -> bool:
        """Whether one of them has a text without a number. Each is looked at once."""
        if self._text is None or self._looked < 0:
            return self._text is not None
        end = len(self._column)
        self._looked = -1 if UNLISTED in self._column[self._looked : end] else end
        return self._looked < 0


class ExchangeColumns:
    """The exchanges of one journal, by number. Any thread may ask."""

    def __init__(self, journal: Journal) -> None:
        self._exchanges: ExchangeLog = journal.conversation.exchanges
        self._numbers: dict[str, Callable[[int], int | None]] = {
            "dur": self._duration,
            "error.code": self._code,
            "request": lambda number: self._exchanges.request_frames[number],
            "answer": self._answer,
        }

    def exchange(self, number: int) -> Exchange:
        """The exchange itself."""
        return self._exchanges[number - 1]

    def text_test(self, name: str, test: Callable[[str], bool]) -> TextTest:
        """A test of an exchange's number by a text of its: "method", "target" or "status"."""
        log = self._exchanges
        match name:
            case "method":
                return TextTest(log.methods, log.names, test, lambda number: self.exchange(number).method)
            case "target":
                return TextTest(log.targets, log.names, test, lambda number: self.exchange(number).target)
            case _:
                return TextTest(log.states, _WORDS, test)

    def revision_test(self, test: Callable[[str], bool]) -> Callable[[int], bool]:
        """A test by the revision; that of one without is ""."""
        verdicts: dict[int, bool] = {}
        column = self._exchanges.revisions

        def by_number(number: int) -> bool:
            revision = column[number]
            verdict = verdicts.get(revision)
            if verdict is None:
                verdict = test(self.exchange(number).revision or "")
                if revision != UNLISTED_REVISION:
                    verdicts[revision] = verdict
            return verdict

        return by_number

    def number_test(self, name: str, test: Callable[[int], bool]) -> Callable[[int], bool]:
        """A test of an exchange's number by a number of its: "dur" or "error.code"; False where there is none."""
        value = self._numbers[name]

        def by_number(number: int) -> bool:
            found = value(number)
            return found is not None and test(found)

        return by_number

    def number(self, name: str, number: int) -> int | None:
        """A number of an exchange: "dur", "error.code", or the entry of its "request" or "answer"; None without one."""
        return self._numbers[name](number)

    def _duration(self, number: int) -> int | None:
        end = self._exchanges.ends[number]
        return None if end == NEVER else end - self._exchanges.starts[number]

    def _code(self, number: int) -> int | None:
        return self.exchange(number).error_code if self._exchanges.states[number] in _WITH_CODE else None

    def _answer(self, number: int) -> int | None:
        answer = self._exchanges.answer_frames[number]
        if not answer and self._exchanges.states[number] in _WITH_CODE:
            return self.exchange(number).answer_frame  # it was late
        return answer or None
