"""What a file that is no capture looks like: a sentence and what to do, for whoever opened the wrong one."""

import shlex

from inspector.errors import CaptureError

_MAGIC = (
    (b"\x1f\x8b", "is compressed with gzip", "decompress it with `gunzip` first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it with `unzstd` first"),
    (b"PK\x03\x04", "is a zip archive", "unpack it and open the .mcpcap file inside"),
    (b"SQLite format 3\x00", "is an SQLite database", "open a .mcpcap file"),
)
_OPEN = "open a .mcpcap file, recorded with --capture FILE"
_CALLED = {
    "jsonrpc": "looks like bare JSON-RPC messages, without the records of a capture around them",
    "har": "looks like a HAR file, not a capture",
}
LOOKS_AT = 64 * 1024
"""How many bytes from the beginning are enough to tell."""


def foreign(name: str, start: bytes) -> CaptureError:
    """The error for a file that begins with `start` (up to LOOKS_AT bytes) and with no head of a capture."""
    from inspector.capture.import_.formats import recognised  # few open a wrong file

    known = recognised(start)
    what, hint = _looks_like(start)
    if known is not None:
        hint = f"mcp-inspect import {shlex.quote(name)} makes a capture of it"
        what = _CALLED.get(known.name, f"is {known.title}, not a capture")
    return CaptureError(f"{name} {what}", hint=hint)


def _looks_like(start: bytes) -> tuple[str, str]:
    for magic, what, hint in _MAGIC:
        if start.startswith(magic):
            return what, hint
    text = start.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return "is empty" if not start else "holds nothing but blanks", _OPEN
    if text.startswith(b'{"r":"head"'):
        if b"\n" in text:
            return "is a capture in a format of another program", _OPEN
        return "is a capture that was cut in its first line: nothing of it can be read", _OPEN
    if text.startswith(b"<"):
        html = text[:512].lower()
        kind = "HTML" if b"<html" in html or b"<!doctype html" in html else "XML"
        return f"holds {kind}, not a capture", _OPEN
    if b"\x00" in start or not _is_text(start):
        return "is no text, so it is no capture", _OPEN
    return _looks_like_json(text)


def _is_text(start: bytes) -> bool:
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(start) - 4 and len(start) == LOOKS_AT  # a character cut by our own look
    return True


def _looks_like_json(text: bytes) -> tuple[str, str]:
    if text[:1] in (b"{", b"["):
        return "holds JSON, but no capture: its first line is no head", _OPEN
    return "is text, but no capture: its first line is no head", _OPEN
