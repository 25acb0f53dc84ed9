"""HTTP exchanges as sections."""

from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.viewmodels.http_facts import http_sections
from inspector.viewmodels.lines import plain, section_lines
from tests.viewmodels.tape import Tape


def _read(tape: Tape, http: int | None, *, reveal: bool = False) -> list[str]:
    sections = http_sections(tape.journal, http, reveal=reveal)
    return [plain(line).rstrip() for section in sections for line in section_lines(section)]


def test_request_response_and_end_are_told_in_order_with_secrets_masked(http_tape: Tape) -> None:
    http_tape.posted(3, status=200, headers=(("mcp-session-id", "abcdef"), ("Set-Cookie", "a=b"), ("X-A", "1\x1b")))
    http_tape.wait(50).fact(HttpFact(HttpEvent.END, 3, body_bytes=12, why="cut"))
    assert _read(http_tape, 3) == [
        "POST https://example.test/mcp",
        "  Content-Type   application/json",
        "  Authorization  Bearer •••••• (12 characters)",
        "200",
        "  after 0 µs",
        "  mcp-session-id  •••••• (6 characters)",
        "  Set-Cookie      •••••• (3 characters)",
        "  X-A             1␛",
        "End",
        "  body  12 bytes",
        "  why   cut",
        "  took  50 ms",
    ]


def test_who_asks_for_it_sees_what_was_masked(http_tape: Tape) -> None:
    http_tape.posted(1)
    assert "  Authorization  Bearer s3cr3t-t0ken" in _read(http_tape, 1, reveal=True)


def test_without_http_there_is_nothing(tape: Tape) -> None:
    assert _read(tape, None) == []
    assert _read(tape, 9) == []


def test_an_exchange_that_only_failed_has_an_end(http_tape: Tape) -> None:
    http_tape.fact(HttpFact(HttpEvent.ERROR, 5, why="refused"))
    assert _read(http_tape, 5) == ["End", "  why  refused"]
