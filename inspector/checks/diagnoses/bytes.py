"""Diagnoses of bytes: stdout lines that are not JSON-RPC, encodings, framing, sizes."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from inspector.checks.diagnoses.process import tail_of
from inspector.checks.diagnoses.stalls import computed_at_eof, responded_before, response_at_eof
from inspector.checks.diagnoses.starting import FIX_HELD_BACK, held_back
from inspector.checks.findings import Confidence, Severity
from inspector.checks.json_flaws import ENDS, flaw_of
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.state import CheckMoment
from inspector.checks.state_updates import AFTER
from inspector.protocol.facts import ProcessEvent
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.protocol.jsonrpc import NotJsonRpc, Request, ResultResponse, encode
from inspector.text import cut

error, warning, hint = diagnoses_of("stdio")

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SAID = 10
"""Maximum lines of one kind that are reported individually; further ones are the same fault."""

_MOST_READ = 4 << 20
"""Maximum bytes of an invalid line that are searched for its values."""
_MOST_VALUES = 10_000
_CODES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|.?)")
"""Codes of a terminal (ECMA-48)."""
_NOT_BLANK = re.compile(r"\S")

_ELSEWHERE = "Write everything but messages to stderr: console.error(...), print(..., file=sys.stderr)."
_PROMPT = re.compile(rb'(.{1,200}[:?>]\s?)\{"(?:jsonrpc|id|result)"')
"""A prompt of `input()`, which ends no line, before a message."""
_REPR = re.compile(rb"\s*\{'|.{0,400}\b(?:True|False|None)\b")
_OBJECT = re.compile(rb"\s*\[object \w+\]\s*$")
_PACKED = ((b"\x1f\x8b\x08", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))
"""The first bytes of compressed data (RFC 1952, section 2.3.1; RFC 8878, section 3.1.1)."""
_DECODED = ("identity", "gzip", "x-gzip", "deflate")
"""Content encodings of the bodies that are recorded decoded."""
_SHELLS = {"sh", "bash", "zsh", "fish", "dash", "ksh"}
_PROFILE = re.compile(rb"Last login|[Ww]elcome|\bnvm\b|conda|direnv|Now using|You have (new )?mail|oh-my-zsh|motd")
_INEXACT = 2**53
_ODD = re.compile(rb"\d{16}|NaN|Infinity")
LONG = 16 << 20
"""A message is too long from this number of bytes on."""


class _Notes(msgspec.Struct):
    cut: tuple[int, int] | None = None
    """Entry and size of a beginning of a message without a line feed."""
    opened: int = 0
    """Entry of a line with nothing but an opening bracket; 0 if there is none."""
    begun: tuple[int, bytes] | None = None
    """Entry and text of lines that may be the beginning of a message."""


def _garbage(case: CheckMoment) -> bytes | None:
    """Return the bytes of a line of stdout that is not JSON; None for anything else."""
    frame, message = case.frame, case.message
    if frame is None or frame.channel is not Channel.STDOUT or not isinstance(message, NotJsonRpc):
        return None
    if frame.eol is Eol.NONE and frame.payload.startswith(b"{"):
        return None  # truncated by the end of the stream
    return frame.payload if message.reason.startswith(("not JSON", "a JSON ")) else None


@error("Text on stdout is not JSON-RPC", "garbled")
def stdout_not_json(case: CheckMoment) -> Iterator[Violation]:
    """“The server MUST NOT write anything to its stdout that is not a valid MCP message.”

    Fix: Write everything but messages to stderr.
    """
    line = _garbage(case) or _stray_object(case)
    if line is None or not line.strip() or _is_header(line) or _is_piece(line) or line.startswith(_BOMS[1:]):
        return
    if case.state.is_sampled("stdout-not-json", _SAID):
        shown = line[:80].decode("utf-8", "replace").strip()
        sentence, fix = f"a line on stdout is not a message: {shown}", _ELSEWHERE
        if (prompt := _PROMPT.match(line)) and not line.startswith(b"{"):
            asks = cut(prompt[1].decode("utf-8", "replace").strip(), 80)
            sentence = f"a message on stdout has a prompt before it, {asks!r}: a tool asks for input on stdin"
            fix = "Ask with elicitation, or take an argument: stdin carries the messages of the client."
        yield Violation(sentence, span=(0, len(line)), fix=fix)


def _stray_object(case: CheckMoment) -> bytes | None:
    """Return a line of JSON without any JSON-RPC member, mostly from a JSON logger; None for anything else."""
    frame, message = case.frame, case.message
    if frame is None or frame.channel is not Channel.STDOUT or not isinstance(message, NotJsonRpc):
        return None
    is_stray = message.reason.startswith("an object without") and b'"jsonrpc"' not in frame.payload
    return frame.payload if is_stray else None


def _is_header(line: bytes) -> bool:
    return re.match(rb"(?i)content-(length|type):", line) is not None


def _is_piece(line: bytes) -> bool:
    """Whether a line looks like part of a value that spans several lines."""
    return line.strip() in (b"{", b"}", b"},", b"]", b"[", b"],") or re.match(rb'\s+"[^"]*"\s*:', line) is not None


@error("Message is not valid JSON", "garbled")
def malformed_json(case: CheckMoment) -> Iterator[Violation]:
    """An object as Python or JavaScript prints it, JSON with a flaw, or JSON that is encoded twice.

    Fix: Encode each message once with a JSON library: json.dumps(message), JSON.stringify(message).
    """
    frame, message = case.frame, case.message
    if frame is None or frame.channel is not Channel.STDOUT or not isinstance(message, NotJsonRpc):
        return
    line, sentence = frame.payload[:_MOST_READ], ""
    if message.reason == "not JSON":
        if _REPR.match(line) and re.search(rb"'(?:jsonrpc|method|result|error)'\s*:", line):
            sentence = "a message is printed as a Python dictionary, with single quotes, which is not JSON"
        elif _OBJECT.match(line):
            sentence = f"a line is {line.strip().decode()}: an object was written without JSON.stringify"
        elif _is_damaged(line) and (flaw := flaw_of(line)) and flaw != ENDS and not _ends_of_values(line)[0]:
            sentence = f"a message is not valid JSON: {flaw}"
    elif message.reason.startswith("a JSON string") and b"jsonrpc" in line:
        sentence = "a message is a JSON string that contains JSON: it was encoded twice"
    if sentence and case.state.is_first("malformed-json"):
        yield Violation(sentence, span=(0, len(frame.payload)))


def _is_damaged(line: bytes) -> bool:
    """Whether a line is one message that a flaw makes unreadable, and not the piece of one."""
    text = line.strip()
    return text.startswith(b"{") and text.endswith(b"}") and text.count(b'"jsonrpc"') == 1


@error("Last message is truncated", "garbled", "end")
def last_message_truncated(case: CheckMoment) -> Iterator[Violation]:
    """The beginning of a message, from a process that exited without an error on stderr.

    Fix: Flush stdout before the process exits: no process.exit() or os._exit() directly after a write.
    """
    frame, state = case.frame, case.state
    if frame is not None:
        if frame.channel is Channel.STDOUT and frame.eol is Eol.NONE and frame.payload.lstrip().startswith(b"{"):
            if not _ends_of_values(frame.payload[:_MOST_READ])[0]:
                state.notes(_Notes).cut = frame.n, len(frame.payload)
        return
    ends = [fact for _, _, fact in state.process.facts if fact.event is ProcessEvent.EXIT]
    code = ends[-1].code if ends else None
    is_silent = code == 0 or (code is not None and not any(line.strip() for _, line in tail_of(state)))
    cut = state.notes(_Notes).cut
    if cut is not None and is_silent and state.why:
        n, size = cut
        waiting = state.requests.waiting()
        what = f"the response to {waiting[-1].named}" if waiting else "the last message"
        how = f"exited with code {code}" if code else "exited"
        sentence = f"{what} is truncated after {size:,} bytes: the process {how} before all was written"
        yield Violation(sentence, frames=(n,), instead=True)


@error("Two messages are interleaved", "garbled")
def interleaved_messages(case: CheckMoment) -> Iterator[Violation]:
    """The rest of a line is JSON after a complete message is removed from its middle.

    Fix: Write each message with one call, and hold a lock if several threads write.
    """
    line = _garbage(case)
    if line is None or not line.lstrip().startswith(b"{") or len(line) > _MOST_READ:
        return
    text = line.decode("utf-8", "replace")
    for found in list(re.finditer(r'\{\s*"jsonrpc"', text))[1:5]:
        try:
            end = json.JSONDecoder().raw_decode(text, found.start())[1]
            whole = json.loads(text[: found.start()] + text[end:])
        except (ValueError, RecursionError):
            continue
        if not text[end:].strip() or type(whole) is not dict:
            continue  # complete messages one after the other
        span = len(text[: found.start()].encode()), len(text[:end].encode())
        yield Violation("two messages are interleaved: one was written in the middle of the other", span=span)
        return


@error("Message has LSP headers", "garbled")
def lsp_framing(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Write one JSON object per line, without headers."""
    line = _garbage(case)
    if line is not None and _is_header(line) and case.state.is_first("lsp-framing"):
        yield Violation("messages have Content-Length headers; over stdio, a message is one line", span=(0, len(line)))


@error("Message spans several lines", "garbled")
def multiline_message(case: CheckMoment) -> Iterator[Violation]:
    """An object over several lines with a line for `jsonrpc`, or a beginning of a message that the next lines complete.

    Fix: Write JSON without indentation.
    """
    line, notes = _garbage(case), case.state.notes(_Notes)
    if line is None:
        return
    if line.strip() in (b"{", b"["):
        notes.opened = notes.opened or case.n
        return
    if line.rstrip() in (b"}", b"]") and notes.opened:
        opened, notes.opened = notes.opened, 0
        if case.state.is_sampled("stdout-not-json", _SAID):
            sentence = "lines on stdout are JSON, but not a message"
            yield Violation(sentence, id="stdout-not-json", frames=(opened, case.n), instead=True, fix=_ELSEWHERE)
        return
    if line.lstrip().startswith(b'"jsonrpc"') and notes.opened:
        opened, notes.opened = notes.opened, 0
        if case.state.is_sampled("multiline-message", _SAID):
            yield Violation("a message spans several lines", frames=(opened, case.n), instead=True)
        return
    (first, begun), notes.begun = notes.begun or (case.n, b""), None
    opens = line.lstrip().startswith(b"{")
    if begun and _is_whole(begun + line):
        yield Violation("a message spans several lines", frames=(first, case.n), instead=True)
    elif len(begun + line) <= _MOST_READ and opens is not bool(begun) and b'"jsonrpc"' in begun + line:
        notes.begun = first, begun + line


def _is_whole(text: bytes) -> bool:
    try:
        return type(json.loads(text)) is dict
    except (ValueError, RecursionError):
        return False


@error("Message is not followed by a newline", "garbled", "frame")
def newline_missing(case: CheckMoment) -> Iterator[Violation]:
    """A complete value with more text behind it, or at the end of the stream.

    Fix: End each message with a newline.
    """
    frame = case.frame
    if frame is None or frame.channel is not Channel.STDOUT or not frame.payload.lstrip().startswith(b"{"):
        return
    if len(frame.payload) > _MOST_READ:
        return
    if frame.eol is Eol.NONE:
        _, end = _ends_of_values(frame.payload) if case.message is None else (0, 0)
        if end and not frame.payload[end:].strip():
            yield Violation("a message is complete, but no newline follows", span=(0, len(frame.payload)))
    elif _garbage(case) is not None:
        end, _ = _ends_of_values(frame.payload)
        if end and frame.payload[end:].lstrip().startswith(b"{"):
            yield Violation("two messages are on one line", span=(end, len(frame.payload)))
        elif end and b'"jsonrpc"' in frame.payload[:end] and frame.payload[end:].strip():
            rest = frame.payload[end:].strip()
            text = rest[:100].decode("utf-8", "replace")
            fix = "End each message with a newline in the same write, and write logs to stderr."
            behind = f"text on its line: {text}"
            if not rest.strip(b"\0"):
                behind = "a NUL byte (0x00)"
                fix = "End each message with a newline, not as a string of C."
            yield Violation(f"a message is followed by {behind}", span=(end, len(frame.payload)), fix=fix)


def _ends_of_values(line: bytes) -> tuple[int, int]:
    """Return where the first and the last of the JSON values at the start of a line end; 0 for none."""
    first = at = 0
    decoder = json.JSONDecoder()
    with suppress(ValueError, RecursionError):
        text = line.decode("utf-8")
        for _ in range(_MOST_VALUES):
            begin = _NOT_BLANK.search(text, at)
            if begin is None:
                break
            at = decoder.raw_decode(text, begin.start())[1]
            first = first or at
    return len(text[:first].encode()) if first else 0, len(text[:at].encode()) if first else 0


@error("stdout is block-buffered", "answer", "error", "late", confidence=Confidence.LIKELY, needs=AFTER)
def stdout_buffered(case: CheckMoment) -> Iterator[Violation]:
    """A response that was sent only after stdin was closed, long after its request.

    Fix: Flush after each message (flush=True, PYTHONUNBUFFERED=1, stdbuf -oL), and read line by line, not to the end.
    """
    closed = response_at_eof(case)
    if closed is None or case.asked is None or case.is_moot or responded_before(case.state, closed):
        return
    if computed_at_eof(case.state):
        return  # it was still starting, and the end of stdin is a coincidence
    if not case.state.is_first("stdout-buffered"):
        return
    waited = (closed - case.asked.time_ns) / 1e9
    sentence = f"the response to {case.asked.named} was sent when stdin was closed, {waited:.0f} s after the request"
    sentence += ": it flushes stdout only then, or reads to the end first"
    held = held_back(case.state.connection.argv) if case.state.connection is not None else ""
    yield Violation(f"{held}: {sentence}" if held else sentence, frames=(case.asked.frame,), fix=held and FIX_HELD_BACK)


@error("Output is not UTF-8", "frame")
def stdout_encoding(case: CheckMoment) -> Iterator[Violation]:
    """The finding names the byte, and the character it may represent.

    Fix: Set PYTHONUTF8=1, or encode output as UTF-8.
    """
    payload = case.payload
    is_line = case.frame is not None and case.frame.channel is Channel.STDOUT
    if payload.startswith(_BOMS) or (is_line and not payload.lstrip().startswith((b"{", b"["))):
        return  # a line of text is not a message in any encoding
    packed = next((name for mark, name in _PACKED if payload.startswith(mark)), "")
    named = (case.http.header("content-encoding") or "").strip().lower() if case.http is not None else ""
    if packed and case.http is not None and not named:
        sentence = f"the body is compressed with {packed}, but has no Content-Encoding header"
        yield Violation(sentence, span=(0, 2), fix=f"Send Content-Encoding: {packed}, or do not compress the body.")
        return
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError as error:
        if case.http is not None and named and named not in _DECODED:
            offered = cut(case.http.sent("accept-encoding") or "nothing", 80)
            sentence = f"the body is compressed (Content-Encoding: {cut(named, 40)}), but Accept-Encoding was {offered}"
            fix = "Compress only with what Accept-Encoding names; caches must keep the variants apart (Vary)."
            yield Violation(sentence, span=(0, 2), fix=fix)
            return
        if not case.state.is_sampled("stdout-encoding", _SAID):
            return
        byte = payload[error.start : error.start + 1]
        meant = byte.decode("cp1252", "replace")
        sentence = f"byte 0x{byte.hex()} at offset {error.start} is not UTF-8; in Windows-1252 it is {meant!r}"
        yield Violation(sentence, span=(error.start, error.end))


@error("Output starts with a byte-order mark, or is UTF-16", "frame")
def byte_order_mark(case: CheckMoment) -> Iterator[Violation]:
    """PowerShell writes one. Many clients reject a byte-order mark before UTF-8.

    Fix: Write UTF-8 without a byte-order mark.
    """
    payload = case.payload
    if payload.startswith(_BOMS):
        if payload.startswith(_BOMS[0]):
            yield Violation("a message starts with a byte-order mark", span=(0, 3), severity=_WARNING)
        else:
            yield Violation("the output is UTF-16", span=(0, 2))


@hint("Lines end with CR LF", "frame")
def crlf_line_endings(case: CheckMoment) -> Iterator[Violation]:
    """Most clients accept it; reported once per connection, of messages only: other text may quote what it was given.

    Fix: End lines with LF; on Windows, set the newline mode of stdout.
    """
    frame = case.frame
    is_so = frame is not None and frame.eol is Eol.CRLF and frame.payload[:1] in (b"{", b"[")
    if is_so and case.state.is_first("crlf-line-endings"):
        yield Violation("lines end with CR LF instead of LF")


@error("Terminal codes on stdout", "frame")
def terminal_codes_on_stdout(case: CheckMoment) -> Iterator[Violation]:
    """JSON contains no raw escape characters.

    Fix: Set NO_COLOR=1 and TERM=dumb; run docker without -t.
    """
    frame = case.frame
    if (
        frame is not None
        and (at := frame.payload.find(b"\x1b")) >= 0
        and case.state.is_sampled("terminal-codes-on-stdout", _SAID)
    ):
        is_message = _CODES.sub(b"", frame.payload).lstrip().startswith((b"{", b"["))
        why = ": the server assumes that stdout is a terminal" if is_message else ", and is not a message without them"
        fix = (
            "" if is_message else "Write everything but messages to stderr: without its colors the line is still wrong."
        )
        yield Violation(f"a line contains terminal codes{why}", span=(at, at + 1), fix=fix)


@error("Shell start-up files write to stdout", "garbled", confidence=Confidence.LIKELY)
def shell_profile_output(case: CheckMoment) -> Iterator[Violation]:
    """The first lines, from a shell that reads its start-up files.

    Fix: Start the program directly, or the shell without -l and -i.
    """
    line, connection = _garbage(case), case.state.connection
    if line is None or not line.strip() or connection is None or case.state.first_message_ns is not None:
        return
    if _is_login_shell(connection.argv) and case.state.is_first("shell-profile-output"):
        yield Violation("a line was written by the start-up files of the shell", span=(0, len(line)))
    elif _PROFILE.search(line[:500]) and _is_shell(connection.argv) and case.state.is_first("shell-profile-output"):
        yield Violation("a line looks like output of the start-up files of a shell", span=(0, len(line)))


def _is_shell(argv: Sequence[str]) -> bool:
    return bool(argv) and argv[0].rpartition("/")[2] in _SHELLS


def _is_login_shell(argv: Sequence[str]) -> bool:
    flags = [word for word in argv[1:4] if word.startswith("-")]
    return _is_shell(argv) and any(
        flag in ("--login", "--interactive") or (not flag.startswith("--") and bool(set(flag) & set("li")))
        for flag in flags
    )


@hint("Number is not valid JSON, or loses precision", "frame", topic="", confidence=Confidence.LIKELY)
def inexact_number(case: CheckMoment) -> Iterator[Violation]:
    """NaN and Infinity are not JSON; integers beyond 2^53 lose digits in many clients.

    Fix: Send large integers as strings, and null instead of NaN.
    """
    payload = case.payload
    if len(payload) > 1 << 20 or not _ODD.search(payload):
        return
    large, has_other = _odd_numbers(payload)
    if large and not _sent_one(case):
        span = (at := payload.find(large), at + len(large))
        yield Violation(f"the number {large[:24].decode()} loses digits in JavaScript", span=span)
    if has_other:
        yield Violation("NaN and Infinity are not JSON (RFC 8259, section 6)", severity=_ERROR)


def _odd_numbers(payload: bytes) -> tuple[bytes, bool]:
    """Return the first integer beyond 2^53, and whether there is NaN or Infinity: as values, not in texts."""
    large: list[str] = []
    others: list[str] = []

    def read(digits: str) -> None:
        if abs(int(digits[:40])) > _INEXACT:
            large.append(digits)

    try:
        json.loads(payload, parse_int=read, parse_constant=others.append)
    except (ValueError, RecursionError):
        return b"", False
    return (large[0].encode() if large else b""), bool(others)


def _sent_one(case: CheckMoment) -> bool:
    """Whether the request of a response has such an integer itself: it is what was asked for."""
    pending = case.state.requests.open
    ids = [each.id for each in case.value if isinstance(each, ResultResponse)]
    asked = [pending[key] for each in ids if (key := (Direction.TO_SERVER, each)) in pending]
    return any(_odd_numbers(encode(each.params))[0] for each in asked)


def too_long(size: int) -> Violation:
    """Return the violation of a message with this number of bytes."""
    return Violation(f"one message of {size >> 20} MiB")


@warning("Message is too long", "frame", topic="")
def message_too_long(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Use pagination, or return links to resources."""
    if case.frame is not None and (size := len(case.frame.payload) + case.frame.cut) > LONG:
        yield too_long(size)


@error("Client messages are echoed", "request")
def input_echoed(case: CheckMoment) -> Iterator[Violation]:
    """A terminal with echo, or a program such as cat, returns the client's request.

    Fix: Check the command. If it runs in a pseudo-terminal, start it without one (docker without -t).
    """
    message = case.message
    if not isinstance(message, Request) or case.frame is None or case.frame.channel is not Channel.STDOUT:
        return
    key = Direction.TO_SERVER, message.id
    ours = case.state.requests.open.get(key) or case.state.requests.done.get(key)
    if ours is not None and "both method and result" in message.defects:
        sentence = f"the response to {ours.named} has a method beside its result, so that it looks like a request"
        yield Violation(sentence, id="result-and-error", frames=(ours.frame,), fix="Leave out method.")
    elif ours is not None and ours.method == message.method and case.state.is_first("input-echoed"):
        sentence = f"the client's own {ours.named} was echoed: the program does not read it as MCP"
        yield Violation(sentence, frames=(ours.frame,))
