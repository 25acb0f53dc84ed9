"""The bytes themselves."""

import pytest

from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Eol
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, initialize, initialized


def _line(*payloads: bytes) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("ping")
        for payload in payloads:
            begun.frame(payload)
        return begun

    return talk


def _held(*, closed: bool) -> Script:
    def talk() -> Talk:
        begun = Talk(opened=False).fact(ProcessFact(ProcessEvent.SPAWN, 1)).ask("initialize", initialize(4)).wait(10)
        if closed:
            begun.fact(ProcessFact(ProcessEvent.STDIN_EOF, 1))
        return begun.answer(initialized(4))

    return talk


def _shell(flag: str, line: bytes) -> Script:
    opened = ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/bin/bash", flag, "server"))
    return lambda: Talk(opened=False, connection=opened).frame(line)


_FINE = b'{"jsonrpc":"2.0","id":2,"result":{}}'


def _cut(code: int, *logged: str) -> Script:
    """The beginning of an answer, and the end of the process, for which stderr may have the reason."""
    return lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2,"resu', eol=Eol.NONE).said(*logged).exit(code)


CASES: Cases = {
    "stdout-not-json": (_line(b"Server listening on stdio"), _line(_FINE)),
    "lsp-framing": (_line(b"Content-Length: 38"), _line(b"Contents of the hold: 38")),
    "multiline-message": (_line(b"{", b'  "jsonrpc": "2.0",'), _line(b"{", b'  "port": 1', b"}")),
    "newline-missing": (_line(_FINE + b" " + _FINE), _line(_FINE + b" ")),
    "stdout-buffered": (_held(closed=True), _held(closed=False)),
    "stdout-encoding": (
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"\x97"}}'),
        _line('{"jsonrpc":"2.0","id":2,"result":{"a":"—"}}'.encode()),
    ),
    "byte-order-mark": (_line(b"\xef\xbb\xbf" + _FINE), _line(_FINE)),
    "crlf-line-endings": (
        lambda: Talk().ask("ping").frame(_FINE, eol=Eol.CRLF),
        lambda: Talk().ask("ping").frame(b"It quotes what it was sent", eol=Eol.CRLF),
    ),
    "terminal-codes-on-stdout": (
        _line(b"\x1b[32m" + _FINE),
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"\\u001b[32m"}}'),
    ),
    "shell-profile-output": (_shell("-lc", b"hello from .bashrc"), _shell("-c", b"hello")),
    "inexact-number": (
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":12345678901234567890}}'),
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"NaN, {\\"b\\": 12345678901234567890}"}}'),
    ),
    "input-echoed": (
        lambda: Talk().ask("tools/list").demand("tools/list", id_=2),
        lambda: Talk().ask("tools/list").demand("roots/list", id_=2),
    ),
    "message-too-long": (
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"' + b"x" * (17 << 20) + b'"}}'),
        _line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"' + b"x" * (15 << 20) + b'"}}'),
    ),
    "malformed-json": (_line(b"{'jsonrpc': '2.0', 'id': 2, 'result': {}}"), _line(b"{'level': 'info', 'msg': 'up'}")),
    "last-message-truncated": (_cut(0), _cut(1, "RuntimeError: no disk")),
    "interleaved-messages": (
        _line(b'{"jsonrpc":"2.0","id":2,"re{"jsonrpc":"2.0","method":"notifications/message"}sult":{}}'),
        _line(_FINE + _FINE),
    ),
}


def test_message_cut_off_by_a_silent_exit_with_an_error_names_the_code() -> None:
    (found,) = of_one(_cut(7)().findings(), "last-message-truncated")
    assert "truncated after 29 bytes: the process exited with code 7 before all was written" in found.sentence


def test_the_byte_is_named_with_what_it_may_have_meant() -> None:
    (found,) = of_one(_line(b'{"jsonrpc":"2.0","id":2,"result":{"a":"\x97"}}')().findings(), "stdout-encoding")
    assert found.sentence == "byte 0x97 at offset 39 is not UTF-8; in Windows-1252 it is '—'"
    assert found.span == (39, 40)


def test_a_compressed_body_is_named_over_http_alone() -> None:
    packed = b"\x1f\x8b\x08\x00\xff"
    carried = Talk(4, transport="http").post().ask("ping").head(200, Content_Type="application/json").frame(packed)
    (found,) = of_one(carried.findings(), "stdout-encoding")
    assert found.sentence == "the body is compressed with gzip, but has no Content-Encoding header"
    assert not of_one(_line(packed)().findings(), "stdout-encoding"), "a line that is no message has its own finding"


@pytest.mark.parametrize(
    ("line", "fix"),
    [(b"INFO:root:hello", "sys.stderr"), (b"npm notice New version", "npm_config"), (b"hi", "console.error")],
)
def test_the_fix_goes_by_who_seems_to_have_written_the_line(line: bytes, fix: str) -> None:
    (found,) = of_one(_line(line)().findings(), "stdout-not-json")
    assert fix in found.fix


def test_a_log_line_with_colors_is_advised_to_leave_stdout_and_not_to_lose_its_colors() -> None:
    (found,) = of_one(_line(b"12:00 [\x1b[32minfo\x1b[39m]: started {}")().findings(), "terminal-codes-on-stdout")
    assert "to stderr" in found.fix
    assert "assumes" not in found.sentence


def test_prompt_before_a_message_shows_that_a_tool_reads_stdin() -> None:
    (found,) = of_one(_line(b'name? {"jsonrpc":"2.0","id":2,"result":{}}')().findings(), "stdout-not-json")
    assert found.sentence == "a message on stdout has a prompt before it, 'name?': a tool asks for input on stdin"


def test_stdout_not_json_is_found_ten_times_at_most() -> None:
    talk = Talk()
    for _ in range(50):
        talk.frame(b"hello")
    assert sum(each.id == "stdout-not-json" for each in talk.findings()) == 10


def test_nan_is_an_error() -> None:
    (found,) = of_one(_line(b'{"jsonrpc":"2.0","id":2,"result":{"a":NaN}}')().findings(), "inexact-number")
    assert found.severity == "error"


def test_a_large_integer_that_was_sent_first_is_not_inexact() -> None:
    said = {"content": [{"type": "text", "text": "9007199254740994"}], "structuredContent": {"sum": 9007199254740994}}
    for sent, times in ((9007199254740993, 0), (1, 1)):
        talk = Talk().ask("tools/call", {"name": "add", "arguments": {"a": sent}})
        assert len(of_one(talk.answer(said).findings(), "inexact-number")) == times


@pytest.mark.parametrize(
    ("line", "is_whole"), [(_FINE, True), (_FINE + _FINE, True), (_FINE[:-5], False), (b"bye", False)]
)
def test_messages_that_no_newline_ends_are_found_where_the_stream_ends(line: bytes, is_whole: bool) -> None:
    found = of_one(Talk().ask("ping").frame(line, eol=Eol.NONE).findings(), "newline-missing")
    assert [each.sentence for each in found] == ["a message is complete, but no newline follows"] * is_whole


def test_newline_missing_has_the_span_in_bytes() -> None:
    word = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"—"}}'.encode()
    (found,) = of_one(_line(word + _FINE)().findings(), "newline-missing")
    assert found.span == (len(word), len(word + _FINE))


def test_a_line_of_very_many_values_is_looked_at_in_no_time_that_grows_with_its_square() -> None:
    (found,) = of_one(_line(b"{}" * 200_000)().findings(), "newline-missing")
    assert found.span == (2, 400_000)


def test_a_log_in_json_is_no_message() -> None:
    (found,) = of_one(_line(b'{"level":30,"msg":"server is listening"}')().findings(), "stdout-not-json")
    assert "server is listening" in found.sentence
    assert not of_one(_line(b'{"jsonrpc":"2.0","id":2}')().findings(), "stdout-not-json")


def test_an_error_for_a_cancelled_call_at_the_end_is_no_fault() -> None:
    """The SDKs respond to what is still running with -32000 "Connection closed" when stdin ends."""
    talk = Talk().fact(ProcessFact(ProcessEvent.SPAWN, 1)).ask("tools/call", {"name": "wait", "arguments": {}}, id_=7)
    talk = (
        talk.wait(10).inform("notifications/cancelled", {"requestId": 7}).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1))
    )
    found = {each.id for each in talk.error(-32000, "Connection closed").findings()}
    assert not found & {"stdout-buffered", "undefined-error-code", "call-rejected"}


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((b'{"jsonrpc": "2.0",', b' "id": 2, "result": {}}'), 1),
        ((b'{"jsonrpc": "2.0", "id": 2,', b'"result": {"a": 1,', b'"b": 2}}'), 1),
        ((b'{"jsonrpc": "2.0",', b"Handling a request"), 0),
        ((b'{"jsonrpc": "2.0", "id": 2, "res', b'{"jsonrpc": "2.0", "id": 2, "result": {}}'), 0),
        ((b"{not JSON", b"at all}"), 0),
        ((b"{", b'  "result": {', b'  "tools": [', b"    {", b"    }]", b"  },", b'  "jsonrpc": "2.0"', b"}"), 1),
    ],
)
def test_a_message_that_later_lines_complete_spans_several_lines(lines: tuple[bytes, ...], found: int) -> None:
    assert [each.id for each in _line(*lines)().findings()].count("multiline-message") == found


def test_an_object_that_is_logged_over_several_lines_is_no_message() -> None:
    (found,) = of_one(_line(b"[", b"  {", b'    "port": 1', b"  }", b"]")().findings(), "stdout-not-json")
    assert found.sentence == "lines on stdout are JSON, but not a message"
    assert "to stderr" in found.fix


@pytest.mark.parametrize(("behind", "found"), [(b"RAM GUARDIAN: memory at 42%", 1), (b"   ", 0), (b"", 0)])
def test_text_behind_a_message_on_its_line_is_named(behind: bytes, found: int) -> None:
    flaws = of_one(_line(_FINE + behind)().findings(), "newline-missing")
    assert [each.sentence for each in flaws] == [
        f"a message is followed by text on its line: {behind.decode()}"
    ] * found


def test_a_nul_byte_behind_a_message_is_named() -> None:
    (found,) = of_one(_line(_FINE + b"\0")().findings(), "newline-missing")
    assert found.sentence == "a message is followed by a NUL byte (0x00)"


def test_text_behind_json_that_is_no_message_is_not_named() -> None:
    assert not of_one(_line(b'{"level":"info"} started')().findings(), "newline-missing")


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        (b'{"jsonrpc":"2.0","id":7d1e9f20,"result":{}}', "a value without quotes"),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1,}}', "a comma precedes the closing bracket"),
        (b'{"level":"info","msg":yes}', ""),
        (b'{"jsonrpc":"2.0","id":1,"result":{}', ""),
        (b'{"jsonrpc":"2.0","id":1,"result":{}} started', ""),
    ],
)
def test_malformed_json_names_the_flaw_of_a_message(line: bytes, flaw: str) -> None:
    found = of_one(_line(line)().findings(), "malformed-json")
    assert bool(found) is bool(flaw)
    assert not flaw or f"a message is not valid JSON: {flaw}" in found[0].sentence
