"""What became of an exchange, and what happened beside the frames, in words."""

import pytest

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Direction
from inspector.viewmodels.words import command_line, progress_of, progress_words, sentence, status


def _exchange(state: ExchangeState, code: int | None = None, *, tool_error: bool = False) -> Exchange:
    made = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "echo", 1, 0, state=state)
    made.error_code, made.tool_error = code, tool_error
    return made


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        (_exchange(ExchangeState.PENDING), "⋯ pending"),
        (_exchange(ExchangeState.ANSWERED), "✓ ok"),
        (_exchange(ExchangeState.ANSWERED, tool_error=True), "✗ tool error"),
        (_exchange(ExchangeState.ERROR, -32602), "✗ error -32602"),
        (_exchange(ExchangeState.ERROR), "✗ error"),
        (_exchange(ExchangeState.CANCELLED), "× cancelled"),
        (_exchange(ExchangeState.LATE), "▲ late"),
        (_exchange(ExchangeState.LOST), "✗ lost"),
    ],
)
def test_each_state_has_its_sign_and_its_word(exchange: Exchange, words: str) -> None:
    assert status(exchange, live=True)[0] == words


def test_in_a_recording_nobody_waits_any_more() -> None:
    assert status(_exchange(ExchangeState.PENDING), live=False)[0] == "⋯ no answer"


def test_a_stream_that_lasts_is_no_request_that_waits() -> None:
    stream = Exchange(1, Direction.TO_SERVER, 1, "subscriptions/listen", "", 1, 0)
    assert status(stream, live=True)[0] == "● listening"
    assert status(stream, live=False)[0] == "○ not ended"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"progress": 3, "total": 10, "message": "copying"}, "3 of 10 copying"),
        ({"progress": 40, "total": 100}, "40 %"),
        ({"progress": 0.25, "total": 1}, "25 %"),
        ({"progress": 7}, "7"),
        ({"progress": 150, "total": 100}, "150 of 100"),
        ({"progress": "much", "total": [], "message": "a\x1bb"}, '"much" a␛b'),
        (None, "(none)"),
    ],
)
def test_progress_is_told_as_the_server_put_it(params: object, words: str) -> None:
    assert progress_words(progress_of(params)) == words


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (Stderr(b"rate limited\x1b[0m \xff"), "rate limited␛[0m ‹xFF›"),
        (ConnectionFact(ConnectionEvent.OPEN, "stdio", ("npx", "-y", "a b")), "stdio opened: npx -y 'a b'"),
        (
            ConnectionFact(ConnectionEvent.OPEN, "http", url="https://u:p@h/mcp"),
            "Streamable HTTP opened: https://••••••@h/mcp",
        ),
        (ConnectionFact(ConnectionEvent.CLOSE, "sse"), "HTTP+SSE closed"),
        (ConnectionFact(ConnectionEvent.RENEW, "http", why="404"), "Streamable HTTP session lost: 404"),
        (ConnectionFact(ConnectionEvent.ABORT, "stdio", why="gone\x07"), "stdio broke off: gone␇"),
        (ProcessFact(ProcessEvent.SPAWN, 7), "process 7 started"),
        (ProcessFact(ProcessEvent.EXIT, 7, 1), "process 7 exited with code 1"),
        (ProcessFact(ProcessEvent.EXIT, 7, None, "SIGKILL"), "process 7 was ended by SIGKILL"),
        (ProcessFact(ProcessEvent.EXIT, 7), "process 7 ended"),
        (ProcessFact(ProcessEvent.SIGNAL, 7, signal="SIGTERM"), "SIGTERM sent to process group 7"),
        (ProcessFact(ProcessEvent.STDIN_EOF, 7), "stdin closed"),
        (ProcessFact(ProcessEvent.STDOUT_EOF, 7), "stdout ended"),
        (ProcessFact(ProcessEvent.STDERR_EOF, 7), "stderr ended"),
        (HttpFact(HttpEvent.REQUEST, 3, "POST", "https://h/mcp?token=x"), "http 3 POST https://h/mcp?token=••••••"),
        (HttpFact(HttpEvent.RESPONSE, 3, status=404, reason="Not Found"), "http 3 404 Not Found"),
        (HttpFact(HttpEvent.END, 3, body_bytes=1200), "http 3 ended, 1.2 kB"),
        (HttpFact(HttpEvent.END, 3, why="cut"), "http 3 ended: cut"),
        (HttpFact(HttpEvent.ERROR, 3, why="refused"), "http 3 failed: refused"),
        (SseNote(3, b": ping"), "http 3 event without a message: : ping"),
    ],
)
def test_each_fact_is_one_sentence(fact: Fact, words: str) -> None:
    assert sentence(fact)[0] == words


def test_an_argument_is_quoted_where_a_shell_would_need_it() -> None:
    assert command_line(("a", "", "it's", "$HOME", "x\x1b")) == "a '' 'it'\\''s' '$HOME' x␛"
