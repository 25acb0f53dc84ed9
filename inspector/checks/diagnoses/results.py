"""Diagnoses of results: too large, with secrets, or too slow."""

import base64
import re
from collections.abc import Iterator
from typing import Any

from inspector.checks.diagnoses.process import cause_in
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import secret_in
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import CheckMoment
from inspector.checks.state_updates import LARGE
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ResultResponse

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_LIKELY = Confidence.LIKELY
_CHARACTERS_PER_TOKEN = 4
_MOST_TOKENS = 25_000
"""About 100,000 characters: a large part of a model's context for one result."""
_LARGE_IMAGE = 1 << 20
_LOOKED_AT = 256 * 1024
"""Maximum bytes of a result that are searched for secrets."""


@diagnosis(
    "result-too-long",
    _WARNING,
    "Result is too long for a model",
    "answer tools/call",
    topic="",
    confidence=_LIKELY,
    fix="Use pagination, a summary, or a link to a resource.",
    needs=LARGE,
)
def result_too_long(case: CheckMoment) -> Iterator[Flaw]:
    """Judged by the length of its text; a token is about four characters."""
    if case.frame is None or len(case.frame.payload) < _MOST_TOKENS * _CHARACTERS_PER_TOKEN:
        return
    text = sum(len(peek.text(block, "text") or "") for block in peek.items(case.value, "content"))
    if (tokens := text // _CHARACTERS_PER_TOKEN) > _MOST_TOKENS:
        said = f"the result has about {tokens:,} tokens (estimated)"
        yield Flaw(said, "/result/content", frames=(case.asked.frame,) if case.asked else ())


@diagnosis(
    "image-too-large",
    _WARNING,
    "Image is too large",
    "answer tools/call",
    topic="",
    fix="Reduce the image, or return a link to a resource.",
    needs=LARGE,
)
def image_too_large(case: CheckMoment) -> Iterator[Flaw]:
    """More than 1 MiB, decoded."""
    if case.frame is None or len(case.frame.payload) < _LARGE_IMAGE:
        return
    for at, block in enumerate(peek.items(case.value, "content")):
        size = len(peek.text(block, "data") or "") * 3 // 4
        if peek.text(block, "type") == "image" and size > _LARGE_IMAGE:
            yield Flaw(f"an image of {size / (1 << 20):.1f} MiB", f"/result/content/{at}/data")


_FLOOD = 1_000_000


@diagnosis(
    "stderr-flood",
    _HINT,
    "Too much output on stderr",
    "end",
    topic="stdio",
    fix="Log less, or make the log level configurable.",
)
def stderr_flood(case: CheckMoment) -> Iterator[Flaw]:
    """More than a megabyte per second. Legal: “The server MAY write UTF-8 strings to its stderr for any purpose.”"""
    n, most = case.state.process.flood
    if most > _FLOOD:
        yield Flaw(f"{most / 1e6:.1f} MB on stderr within a second", frames=(n,), instead=True)


_LONG_NS = 2_000_000_000


@diagnosis(
    "call-timed-out",
    _WARNING,
    "Call timed out",
    "end",
    topic="basic/utilities/cancellation",
    confidence=_LIKELY,
    fix="Respond sooner, or send progress, which resets timeouts; --timeout allows more time.",
)
def call_timed_out(case: CheckMoment) -> Iterator[Flaw]:
    """The client cancelled after seconds without a response; progress shows which limit it was."""
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
        said = f"{asked.method[:60]} was cancelled after {waited / 1e9:.0f} s, {clock}"
        frames: tuple[int, ...] = (asked.frame, asked.cancelled)
        fix = ""
        if not progress and (logged := cause_in(state)) is not None and asked.frame < logged[0] < asked.cancelled:
            said, frames = f"{said}; stderr has: {logged[1]}", (asked.frame, logged[0], asked.cancelled)
            fix = "Return an error when the call fails: nothing is sent if an exception is only logged."
        yield Flaw(said, frames=frames, instead=True, fix=fix)


@diagnosis(
    "secret-in-result",
    _WARNING,
    "Secret in a result",
    "answer tools/call",
    "answer resources/read",
    "answer prompts/get",
    topic="",
    confidence=_LIKELY,
    fix="Remove the secret: results are passed to the model and its provider.",
)
def secret_in_result(case: CheckMoment) -> Iterator[Flaw]:
    """Detects the formats of well-known tokens. The finding has the place and never the secret.

    It examines the message, not its frame: the frame of a batch has thousands.
    """
    if isinstance(case.message, ResultResponse) and (name := secret_in(case.message.result_part.raw[:_LOOKED_AT])):
        yield Flaw(f"the result of {case.method[:60]} seems to contain {name}", "/result")


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


@diagnosis(
    "image-undecodable",
    Severity.ERROR,
    "Image or audio cannot be decoded",
    "answer tools/call",
    "answer prompts/get",
    topic="server/tools",
    fix="Return the base64 of the whole file in `data`, and its type in `mimeType`.",
)
def image_undecodable(case: CheckMoment) -> Iterator[Flaw]:
    """Media without data, or an image whose bytes are in no known format although `mimeType` names one."""
    for pointer, block in _blocks(case):
        member, data = peek.text(block, "type"), peek.text(block, "data")
        if member not in ("image", "audio") or data is None:
            continue
        kind = (peek.text(block, "mimeType") or "").split(";")[0].strip().lower()
        if not data.strip():
            yield Flaw(f"{'an image' if member == 'image' else 'audio'} has no data", f"{pointer}/data")
        elif member == "image" and kind in _IMAGES and (head := _decoded_head(data)):
            is_known = any(head.startswith(magic) for magics in _IMAGES.values() for magic in magics)
            if not is_known and head[4:8] != b"ftyp":  # HEIC and AVIF
                said = f"an image declares {kind}, but its data begin with {head[:8]!r}, an unknown image format"
                yield Flaw(said, f"{pointer}/data")


def _blocks(case: CheckMoment) -> Iterator[tuple[str, Any]]:
    """Yield the content blocks of a result with their pointers."""
    for at, block in enumerate(peek.items(case.value, "content")):
        yield f"/result/content/{at}", block
    for at, message in enumerate(peek.items(case.value, "messages")):
        yield f"/result/messages/{at}/content", peek.at(message, "content")


def _decoded_head(data: str) -> bytes:
    """Return the first bytes of base64 data; b"" if it is not base64, which `invalid-base64` reports."""
    try:
        return base64.b64decode(data[:_SHORTEST_IMAGE], validate=True)
    except ValueError:
        return b""


_HALF = re.compile(rb"(?<!\\)(?:\\\\)*\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[dD][c-fC-F][0-9a-fA-F]{2})")
_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


@diagnosis(
    "half-surrogate",
    _WARNING,
    "Half of a surrogate pair in a text",
    "answer",
    topic="https://www.rfc-editor.org/rfc/rfc8259#section-8.2",
    fix="Cut texts between characters, not between UTF-16 units, and write UTF-8.",
)
def half_surrogate(case: CheckMoment) -> Iterator[Flaw]:
    """An escape of one half without the other: strict parsers reject the whole message."""
    payload = case.frame.payload if case.frame is not None else b""
    if b"\\ud" not in payload and b"\\uD" not in payload:
        return
    if found := _HALF.search(_PAIR.sub(lambda pair: b" " * len(pair.group()), payload)):
        said = f"the result of {case.method[:60]} has half a surrogate pair ({found.group()[-6:].decode('ascii')})"
        yield Flaw(f"{said}: strict JSON parsers reject the message", span=found.span())


_LONG_BASE64 = re.compile(
    r"(?:data:image/[\w.+-]+;base64,)?(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/\r\n]{380,}+={0,2}\s*"
)


@diagnosis(
    "base64-in-text",
    _WARNING,
    "Binary data in a text",
    "answer tools/call",
    "answer resources/read",
    "answer prompts/get",
    topic="server/tools",
    confidence=_LIKELY,
    fix="Return images and audio as blocks of their type, and files as `blob`: a model cannot read base64 in a text.",
)
def base64_in_text(case: CheckMoment) -> Iterator[Flaw]:
    """A text that is nothing but the base64 of an image or a PDF."""
    texts = [(f"{pointer}/text", peek.text(block, "text")) for pointer, block in _blocks(case)]
    for at, each in enumerate(peek.items(case.value, "contents")):
        texts.append((f"/result/contents/{at}/text", peek.text(each, "text")))
    for pointer, text in texts:
        if text and len(text) > 400 and _LONG_BASE64.fullmatch(text):
            yield Flaw(f"a text of {len(text):,} characters is base64 of a file", pointer)
