"""What happens while a command waits, told on stderr: the server's questions and our answers, progress, log messages.

Told is what crossed the wire, as the journal saw it: an answer that was never sent is never told.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inspector.capture.store import Entry
from inspector.cli.output import Output
from inspector.cli.progress import ProgressBar
from inspector.cli.tasks import TaskTeller
from inspector.protocol import events, jsonrpc, peek
from inspector.protocol.events import Event
from inspector.protocol.frames import Direction
from inspector.protocol.questions import KIND_OF_METHOD, Question
from inspector.session.session import Session
from inspector.viewmodels import text
from inspector.viewmodels.previews import of_log_message

_SHOWN = 300
"""Characters of what somebody said."""


@contextmanager
def narrating(session: Session, output: Output, *, progress: bool = False, logs: bool = False) -> Iterator[None]:
    """Tell what happens during the block: questions always, progress and log messages where they were asked for."""
    bar = ProgressBar(output) if progress else None
    stop = session.journal.listen(Narrator(output, bar, logs=logs).hear)
    try:
        yield
    finally:
        stop()
        if bar is not None:
            bar.end()


class Narrator:
    """Listens to a journal."""

    def __init__(self, output: Output, bar: ProgressBar | None = None, *, logs: bool = False) -> None:
        self._output = output
        self._bar = bar
        self._logs = logs
        self._tasks = TaskTeller(output)

    def hear(self, entry: Entry, found: Sequence[Event]) -> None:
        """Tell what an entry means."""
        for event in found:
            match event:
                case events.Asked(question):
                    self._output.narrate(f"? {asked(question)}")
                case events.Opened(exchange, message) if exchange.sender is Direction.TO_SERVER:
                    for reply in peek.mapping(message.params, "inputResponses").values():
                        self._say(_answer(reply))
                case events.Closed(exchange, answer) if exchange.sender is Direction.FROM_SERVER:
                    if exchange.method in KIND_OF_METHOD:
                        self._say(_reply(answer))
                case events.Cancelled(exchange) if exchange.sender is Direction.FROM_SERVER:
                    self._say(f"the server no longer asks {exchange.method}{_because(exchange.why)}")
                case events.TaskTold(task):
                    self._tasks.tell(task)
                case events.Progressed(exchange) if self._bar is not None and exchange.progress is not None:
                    self._bar.show(exchange.progress)
                case events.Notified(Direction.FROM_SERVER, message) if self._logs:
                    if message.method == "notifications/message":
                        self._output.narrate(text.visible(of_log_message(message.params), limit=_SHOWN))

    def _say(self, words: str) -> None:
        self._output.narrate(f"  → {words}")


def asked(question: Question) -> str:
    """What a server asks, in one line that is safe to show."""
    where = f" at {question.url}" if question.url else ""
    said = question.message or _json(question.params or {})
    return text.visible(f"{question.kind}{where}: {said}", limit=_SHOWN)


def _reply(answer: jsonrpc.Answer | jsonrpc.ErrorAnswer) -> str:
    return f"refused: {answer.message}" if isinstance(answer, jsonrpc.ErrorAnswer) else _answer(answer.result)


def _answer(result: Any) -> str:
    """An answer in a few words: what was decided and what was given, else its JSON."""
    action = peek.text(result, "action")
    if action is None:
        return text.visible(_json(result), limit=_SHOWN)
    content = peek.at(result, "content")
    return text.visible(action if content is None else f"{action} {_json(content)}", limit=_SHOWN)


def _because(why: str) -> str:
    return f": {text.visible(why, limit=_SHOWN)}" if why else ""


def _json(value: Any) -> str:
    return text.decode(jsonrpc.encode(value))
