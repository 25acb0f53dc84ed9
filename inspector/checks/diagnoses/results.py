"""Diagnoses of results: too large, with secrets, or too slow."""

import base64
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.checks.diagnoses.causes import (
    HEADS,
    MOST_WORDS,
    backend_fault,
    known_cause,
    missing_program,
    telling_line,
)
from inspector.checks.diagnoses.process import cause_in, logged_while, tail_of
from inspector.checks.diagnoses.stalls import was_idle
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import QUOTES_CODE, reason_of, secret_in, states_no_reason
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.sayings import explained
from inspector.checks.state import CheckMoment, ConnectionState, TrackedRequest
from inspector.checks.state_updates import LARGE
from inspector.protocol import peek, probes
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import MEDIA
from inspector.text import cut

error, warning, hint = diagnoses_of("")

_ONE_SESSION = (
    "Hand the response to the call that waits: a stateless server, or another instance, gets it in a request that "
    "it cannot relate to the call."
)
_LIKELY = Confidence.LIKELY
_CHARACTERS_PER_TOKEN = 4
_MOST_TOKENS = 25_000
"""About 100,000 characters: a large part of a model's context for one result."""
_LONG_ARGUMENT = 1_000
_LARGE_IMAGE = 1 << 20
_LOOKED_AT = 256 * 1024
"""Maximum bytes of a result that are searched for secrets."""

_ANY_RESULT = ("answer tools/call", "answer resources/read", "answer prompts/get")
_IS_INSIDE = re.compile(
    r"^(?:\S*/)?(?:docker|podman|nerdctl) (?!.*--net(?:work)?[= ]host\b).*\brun\b.*\n"
    r".*(?:127\.0\.0\.1|localhost|\[?::1\]?):\d"
)
"""A container, and an address that is its own."""
_UNAWAITED = re.compile(
    r"<(?:coroutine|generator|async_generator) object [\w.<>]{1,60} at 0x[0-9a-fA-F]{4,16}>|\[object Promise\]"
)
_MOST_AROUND = 300
_FLOOD = 1_000_000
_MOST_FAILED = 100
_ENOUGH, _SHORT = 24, 80
_STANDARD = re.compile(r"(?i)invalid (?:request )?param(?:eter)?s\.?")
"""The words of JSON-RPC for its code, which name no parameter."""
_LONG_NS = 2_000_000_000
_IMAGES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
    "image/bmp": (b"BM",),
    "image/tiff": (b"II*\0", b"MM\0*"),
}
"""The first bytes of image formats. A format that is not here is not judged."""
_SHORTEST_IMAGE = 32
"""Fewer bytes are no image in any of these formats."""
_HALF = re.compile(rb"(?<!\\)(?:\\\\)*\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[dD][c-fC-F][0-9a-fA-F]{2})")
_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_TWICE = re.compile(
    "[\u00c2-\u00c3][\u0080-\u00bf\u0152-\u0178\u2013-\u2122]|\u00e2\u20ac[\u0080-\u00bf\u0152-\u0178\u2013-\u2122]"
)
_AT_LEAST = 2
"""Different characters that make it sure that a text was decoded twice."""
_LONG_BASE64 = re.compile(
    r"(?:data:image/[\w.+-]+;base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/\r\n]{380,}+={0,2}\s*"
)


class _Failed(msgspec.Struct, frozen=True):
    """A request that failed, and the reason that its response states; "" for none."""

    frame: int
    asked: TrackedRequest
    reason: str


class _Notes(msgspec.Struct):
    failed: list[_Failed] = []


@warning("Result is too long for a model", "answer tools/call", confidence=_LIKELY, needs=LARGE)
def result_too_long(case: CheckMoment) -> Iterator[Violation]:
    """Judged by the length of its text without what it repeats of long arguments; a token is about four characters.

    Fix: Use pagination, a summary, or a link to a resource.
    """
    given = [each for each in peek.mapping(case.asked_params, "arguments").values() if isinstance(each, str)]
    repeated = [each for each in given if len(each) >= _LONG_ARGUMENT]
    texts = [peek.text(block, "text") or "" for block in peek.items(case.value, "content")]
    text = sum(len(each) - sum(each.count(part) * len(part) for part in repeated) for each in texts)
    if (tokens := text // _CHARACTERS_PER_TOKEN) > _MOST_TOKENS:
        whose = f" of {_tool_called(case)}" if _tool_called(case) else ""
        sentence = f"the result{whose} has about {tokens:,} tokens (estimated); some clients reject more than 25,000"
        yield Violation(sentence, "/result/content", frames=(case.asked.frame,) if case.asked else ())


@warning("Image is too large", "answer tools/call", needs=LARGE)
def image_too_large(case: CheckMoment) -> Iterator[Violation]:
    """More than 1 MiB, decoded.

    Fix: Reduce the image, or return a link to a resource.
    """
    for at, block in enumerate(peek.items(case.value, "content")):
        size = len(peek.text(block, "data") or "") * 3 // 4
        if peek.text(block, "type") == "image" and size > _LARGE_IMAGE:
            yield Violation(f"an image of {size / (1 << 20):.1f} MiB", f"/result/content/{at}/data")


@warning("Browser or program that a tool needs is missing", "answer tools/call", "error tools/call", confidence=_LIKELY)
def tool_program_missing(case: CheckMoment) -> Iterator[Violation]:
    """The error of a call names a browser that is not installed, or a program that could not be started.

    Fix: Install the program where the server runs, or give its absolute path.
    """
    place, texts = _failure(case)
    found = next(filter(None, map(missing_program, texts)), None)
    if found and found[0] not in repr(peek.at(case.asked_params, "arguments")):  # else it was asked for, as of a shell
        program, fix = found
        kind = "browser" if fix else "program"
        sentence = f"{_tool_called(case)} needs the {kind} {program[:MOST_WORDS]}, which is missing"
        if not case.state.is_repeated("tool-program-missing", program):  # every tool needs the same browser
            yield Violation(sentence, place, fix=fix)


@warning("Result shows an unfinished computation", "answer tools/call", confidence=_LIKELY)
def result_unawaited(case: CheckMoment) -> Iterator[Violation]:
    """A short text with the name of a coroutine, generator or promise in place of its value.

    Fix: Await it, or collect what a generator yields, before the tool returns.
    """
    for text in _texts(case) if not peek.flag(case.value, "isError") else ():
        found = _UNAWAITED.search(text) if len(text) < _MOST_AROUND and not QUOTES_CODE.search(text) else None
        if found:
            sentence = f"the result of {_tool_called(case)} shows {cut(found[0], 80)}, not its value"
            yield Violation(sentence, "/result/content")
            return


@hint("Backend of a tool fails", "answer tools/call", "error tools/call", confidence=_LIKELY)
def tool_backend_fails(case: CheckMoment) -> Iterator[Violation]:
    """The error of a call names a service that cannot be reached, is not trusted, or refuses the credentials.

    Fix: Check the service that the tool works with, and the credentials in the server's environment.
    """
    place, texts = _failure(case)
    fault = next(filter(None, map(backend_fault, texts)), None)
    if fault and not case.state.is_repeated("tool-backend-fails", fault[0]):  # every tool has the same backend
        argv = " ".join(case.state.connection.argv) if case.state.connection is not None else ""
        itself = ", which is the container itself" if _IS_INSIDE.search(f"{argv}\n{fault[0]}") else ""
        what, colon, why = fault[0].partition(": ")
        sentence = f"{_tool_called(case)} {cut(what, 160)}{itself}{colon}{cut(why, 160)}"
        yield Violation(sentence, place, fix=fault[1])


def _failure(case: CheckMoment) -> tuple[str, list[str]]:
    """Return the place of what failed, and its texts; none if it succeeded."""
    if isinstance(case.message, ErrorResponse):
        return "/error", _texts(case)
    return "/result", _texts(case) if peek.flag(case.value, "isError") else []


def _tool_called(case: CheckMoment) -> str:
    """Return the name of the tool called; a probe calls one that does not exist, so the server is meant."""
    name = peek.text(case.asked.params, "name") if case.asked is not None else None
    return "the server" if name == probes.TOOL else cut(name, 60) if name else "a tool"


def _texts(case: CheckMoment) -> list[str]:
    """Return the message of an error, and the texts of a result."""
    blocks = peek.items(case.value, "content")[:3]
    return [peek.text(case.value, "message") or "", *(peek.text(block, "text") or "" for block in blocks)]


@hint("Too much output on stderr", "end", topic="stdio")
def stderr_flood(case: CheckMoment) -> Iterator[Violation]:
    """More than a megabyte per second. Legal: “The server MAY write UTF-8 strings to its stderr for any purpose.”

    Fix: Log less, or make the log level configurable.
    """
    n, most = case.state.process.flood
    if most > _FLOOD:
        yield Violation(f"{most / 1e6:.1f} MB on stderr within a second", frames=(n,), instead=True)


@warning("Call timed out", "end", topic="basic/utilities/cancellation", confidence=_LIKELY)
def call_timed_out(case: CheckMoment) -> Iterator[Violation]:
    """The client cancelled after seconds without a response; progress shows which limit it was.

    Fix: Respond sooner, or send progress, which resets timeouts; --timeout allows more time.
    """
    state = case.state
    for asked in state.requests.done.values():
        if asked.cancelled is None or asked.answered is not None or asked.method == "subscriptions/listen":
            continue
        waited = asked.cancelled_ns - asked.time_ns
        if waited < _LONG_NS:
            continue
        telling = state.requests.progress.get(asked.token) if asked.token is not None else None
        progress = bool(telling and telling.asked.frame == asked.frame and telling.frame)
        clock = "although there was progress: the total limit" if progress else "without progress"
        if progress and telling and (silent := asked.cancelled_ns - telling.newest_ns) > waited / 2:
            clock = f"{silent / 1e9:.0f} s after its last progress"
        sentence = f"{asked.named} was cancelled after {waited / 1e9:.0f} s, {clock}"
        frames: tuple[int, ...] = (asked.frame, asked.cancelled)
        fix = ""
        sentence += state.requests.had_worked(asked)
        sentence += f"; {asked.stage()}" if asked.stage() and not progress else ""
        if own := _own_request(state, asked):
            sentence = f"{sentence}; the server itself had sent {own.named} and got its response meanwhile"
            frames, fix = (asked.frame, own.frame, asked.cancelled), _ONE_SESSION
        if not progress and (logged := cause_in(state)) is not None and asked.frame < logged[0] < asked.cancelled:
            sentence, frames = f"{sentence}; stderr has: {logged[1]}", (asked.frame, logged[0], asked.cancelled)
            fix = "Return an error when the call fails: nothing is sent if an exception is only logged."
        elif not progress and not fix and was_idle(state, asked):
            sentence += logged_while(state, asked)
            sentence = f"{sentence}; the server was idle, without a connection or child process that it waited for"
            fix = "Look for a lock, a sleep, an await that never ends, or an exception that the handler swallows."
        yield Violation(sentence, frames=frames, instead=True, fix=fix)


def _own_request(state: ConnectionState, during: TrackedRequest) -> TrackedRequest | None:
    """Return the newest answered request of the server since one of ours was sent; None if there is none."""
    mine = (each for each in state.requests.done.values() if each.sender is Direction.FROM_SERVER)
    held = [each for each in mine if each.answered is not None and each.frame > during.frame and each.method != "ping"]
    return max(held, key=lambda each: each.frame, default=None)


@warning("Cause of a failure is only on stderr", "error", "answer tools/call", "end", confidence=_LIKELY)
def failure_logged(case: CheckMoment) -> Iterator[Violation]:
    """The response of a failed request states no reason, and an exception was logged at that time.

    A hint if it states one that is not that of the exception: both may be true.

    Fix: Return the reason to the client: the message of the error, or a text with isError.
    """
    state, asked = case.state, case.asked
    failed = state.notes(_Notes).failed
    if case.message is not None:
        is_ours = asked is not None and not asked.probe and not state.is_http
        reason = _said_of_failure(case)
        if reason is not None and is_ours and asked is not None and len(failed) < _MOST_FAILED:
            failed.append(_Failed(case.n, asked, reason))
        return
    sent = sorted(each.frame for each in state.requests.all)
    for each in failed:
        until = next((frame for frame in sent if frame > each.frame), 1 << 62)
        newest = [(n, line) for n, line in tail_of(state) if each.asked.frame < n < until]
        telling, known = telling_line(newest), known_cause(newest)
        if telling is None or not (known or HEADS.match(telling[1]) or explained(telling[1])[0]):
            continue
        at, words, fix = known or (telling[0], telling[1], "")
        stated = known_cause([(0, each.reason)]) or ()
        if not each.reason:
            how = "without a reason"
        elif each.reason in telling[1] or words in stated or _states(each.reason, telling[1]):
            continue
        else:
            how = f"(“{each.reason[:_SHORT]}”)"
        sentence = f"{each.asked.named} failed {how}; stderr has: {words}"
        yield Violation(
            sentence, frames=(at, each.frame), instead=True, severity=Severity.HINT if each.reason else None, fix=fix
        )


def _states(reason: str, words: str) -> bool:
    """Whether the reason of a response has a part of a logged message, without the name of the exception and a code."""
    parts = words.split(": ")
    return any(part[:_ENOUGH] in reason for part in parts if " " in part or part is parts[-1])


def _said_of_failure(case: CheckMoment) -> str | None:
    """Return the reason that the response of a failed request states, "" for none; None if it did not fail."""
    if isinstance(case.message, ErrorResponse):
        reason = reason_of(case.value)
    elif peek.at(case.value, "isError") is True and peek.at(case.value, "structuredContent") is None:
        reason = " ".join(peek.text(each, "text") or "" for each in peek.items(case.value, "content")).strip()
    else:
        return None
    return "" if states_no_reason(reason) or _STANDARD.fullmatch(reason) else reason


@warning("Secret in a result", *_ANY_RESULT, confidence=_LIKELY)
def secret_in_result(case: CheckMoment) -> Iterator[Violation]:
    """Detects the formats of well-known tokens. The finding has the place and never the secret.

    It examines the message, not its frame: the frame of a batch has thousands.

    Fix: Remove the secret: results are passed to the model and its provider.
    """
    if isinstance(case.message, ResultResponse) and (name := secret_in(case.message.result_part.raw[:_LOOKED_AT])):
        yield Violation(f"the result of {case.named} seems to contain {name}", "/result")


@error("Image or audio cannot be decoded", "answer tools/call", "answer prompts/get", topic="server/tools")
def image_undecodable(case: CheckMoment) -> Iterator[Violation]:
    """Media without data, or an image whose bytes are in no known format although `mimeType` names one.

    Fix: Return the base64 of the whole file in `data`, and its type in `mimeType`.
    """
    for pointer, block in _blocks(case):
        member, data = peek.text(block, "type"), peek.text(block, "data")
        if member not in MEDIA or data is None:
            continue
        kind = (peek.text(block, "mimeType") or "").split(";")[0].strip().lower()
        if not data.strip():
            yield Violation(f"{'an image' if member == 'image' else member} has no data", f"{pointer}/data")
        elif member == "image" and kind in _IMAGES and (head := _decoded_head(data)):
            is_known = any(head.startswith(magic) for magics in _IMAGES.values() for magic in magics)
            if twice := _image_encoded_twice(data):
                sentence = f"an image is base64 of base64: it was encoded twice, and is {twice}"
                yield Violation(sentence, f"{pointer}/data")
            elif not is_known and head[4:8] != b"ftyp":  # HEIC and AVIF
                sentence = f"an image declares {kind}, but its data begin with {head[:8]!r}, an unknown image format"
                yield Violation(sentence, f"{pointer}/data")


def _image_encoded_twice(data: str) -> str:
    """Return the type of an image whose base64 was encoded once more; "" for other data."""
    head = _decoded_head(_decoded_head(data).decode("ascii", "replace"))
    return next((kind for kind, magics in _IMAGES.items() if head.startswith(magics)), "")


def _blocks(case: CheckMoment) -> Iterator[tuple[str, Any]]:
    """Yield the content blocks of a result with their pointers."""
    for at, block in enumerate(peek.items(case.value, "content")):
        yield f"/result/content/{at}", block
    for at, message in enumerate(peek.items(case.value, "messages")):
        yield f"/result/messages/{at}/content", peek.at(message, "content")


def _all_texts(case: CheckMoment) -> Iterator[tuple[str, str]]:
    """Yield the texts of a result with their pointers."""
    contents = ((f"/result/contents/{at}", each) for at, each in enumerate(peek.items(case.value, "contents")))
    for pointer, block in (*_blocks(case), *contents):
        yield f"{pointer}/text", peek.text(block, "text") or ""


def _decoded_head(data: str) -> bytes:
    """Return the first bytes of base64 data; b"" if it is not base64, which `invalid-base64` reports."""
    try:
        return base64.b64decode(data[:_SHORTEST_IMAGE], validate=True)
    except ValueError:
        return b""


@warning("Half of a surrogate pair in a text", "answer", topic="https://www.rfc-editor.org/rfc/rfc8259#section-8.2")
def half_surrogate(case: CheckMoment) -> Iterator[Violation]:
    """An escape of one half without the other: strict parsers reject the whole message.

    Fix: Cut texts between characters, not between UTF-16 units, and write UTF-8.
    """
    payload = case.payload
    if b"\\ud" not in payload and b"\\uD" not in payload:
        return
    if found := _HALF.search(_PAIR.sub(lambda pair: b" " * len(pair.group()), payload)):
        message = f"the result of {case.named} has half a surrogate pair ({found.group()[-6:].decode('ascii')})"
        yield Violation(f"{message}: strict JSON parsers reject the message", span=found.span())


@hint("Text has NUL characters", *_ANY_RESULT)
def nul_in_text(case: CheckMoment) -> Iterator[Violation]:
    """Legal JSON, but PostgreSQL stores no text with U+0000, and programs in C end it there.

    Fix: Return bytes as base64 (blob or data), and remove NUL from texts.
    """
    if (at := case.payload.find(b"\\u0000")) >= 0 and case.payload[at - 1 : at] != b"\\":
        if "\\x00" in repr(case.asked_params):
            return  # it was sent, and comes back
        sentence = f"a text of {case.named} has the character NUL (U+0000), which databases (PostgreSQL) cannot store"
        yield Violation(sentence, span=(at, at + 6))


@warning("Text was decoded twice", "answer tools/call", "answer resources/read", confidence=_LIKELY)
def text_decoded_twice(case: CheckMoment) -> Iterator[Violation]:
    """Characters such as Ã¼ in place of ü: UTF-8 that was read as Latin-1 or Windows-1252.

    Fix: Decode what the tool reads as UTF-8, and encode its text once.
    """
    for pointer, text in _all_texts(case):
        found = [each for each in dict.fromkeys(_TWICE.findall(text[:_LOOKED_AT])) if _undone(each)]
        if len(found) >= _AT_LEAST:
            words = ", ".join(f"{each} in place of {_undone(each)}" for each in found[:2])
            yield Violation(f"a text is UTF-8 that was read as Latin-1: it has {words}", pointer)


def _undone(text: str) -> str:
    """Return what a text was before it was decoded once too often; "" if it was not."""
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return ""


@warning("Binary data in a text", *_ANY_RESULT, topic="server/tools", confidence=_LIKELY)
def base64_in_text(case: CheckMoment) -> Iterator[Violation]:
    """A text that is nothing but the base64 of an image or a PDF.

    Fix: Return images and audio as blocks of their type, and files as `blob`: a model cannot read base64 in a text.
    """
    for pointer, text in _all_texts(case):
        if len(text) > 400 and _LONG_BASE64.fullmatch(text):
            yield Violation(f"a text of {len(text):,} characters is base64 of a file", pointer)
