"""The head of a capture: whether a file is a capture, and may be read; what else it is otherwise.

A partial last line, unreadable lines, unknown records and unknown fields are counted and skipped. A newer major
version, or an unknown feature listed in `must`, is rejected: a partly understood capture would look complete.
Nothing in a capture names a file that is opened.
"""

import shlex
from pathlib import Path

import msgspec

from inspector.capture.format.lines import read_at
from inspector.capture.format.records import FORMAT, VERSION, Head, from_line, type_of
from inspector.errors import RUNTIMES, CaptureError, how_to_start
from inspector.protocol import peek
from inspector.text import cut

_MAGIC = (
    (b"\x1f\x8b", "is compressed with gzip", "decompress it with `gunzip` first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "decompress it with `unzstd` first"),
    (b"PK\x03\x04", "is a zip archive", "unpack it and open the .mcpcap file inside"),
    (b"SQLite format 3\x00", "is an SQLite database", "Open a .mcpcap file"),
)
_OPEN = "Open a .mcpcap file, recorded with --capture FILE."
_TAP = "record its traffic: mcp-inspect tap run -- claude"
_CALLED = {
    "jsonrpc": "looks like bare JSON-RPC messages, without the records of a capture around them",
    "har": "looks like a HAR file, not a capture",
}
LOOKS_AT = 64 * 1024
"""Bytes at the beginning that are enough to recognise a format."""

_DIGITS = 9
"""Maximum number of digits parsed per part of a version: Python refuses thousands."""

_UNDERSTOOD: frozenset[str] = frozenset()
"""Features that `must` may list."""


def foreign(name: str, start: bytes) -> CaptureError:
    """Return the error for a file that is not a capture. `start` is its beginning, up to LOOKS_AT bytes."""
    from inspector.capture.import_.readers import recognised  # rarely needed

    known = recognised(start)
    what, hint = _looks_like(start)
    if known is not None:
        hint = f"mcp-inspect import {shlex.quote(name)} makes a capture of it"
        what = _CALLED.get(known.name, f"is {known.title}, not a capture")
    elif name.endswith(tuple(RUNTIMES)):
        what, hint = "is a program, not a capture", how_to_start(name)
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
        return "is not a text file, so it is not a capture", _OPEN
    return _looks_like_json(text)


def _is_text(start: bytes) -> bool:
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(start) - 4 and len(start) == LOOKS_AT  # a character cut at LOOKS_AT
    return True


def is_log_without_messages(start: bytes) -> bool:
    """Whether a file is a log of Claude Code (`mcp-logs-NAME/*.jsonl`), which has no messages."""
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    members = peek.decoded_as(dict[str, msgspec.Raw], first) or {}
    return {"timestamp", "sessionId", "cwd"} <= members.keys() and bool({"debug", "error"} & members.keys())


def _is_json(text: bytes) -> bool:
    """Whether the first line is JSON or the beginning of it: a log line can begin with a bracket, too."""
    try:
        msgspec.json.decode(text.partition(b"\n")[0])
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except RecursionError:
        return True
    return True


def _looks_like_json(text: bytes) -> tuple[str, str]:
    if is_log_without_messages(text):
        return "is a log of Claude Code, which has no messages, only that they crossed", _TAP
    if text[:1] in (b"{", b"[") and _is_json(text):
        return "is JSON, but not a capture: the first line is not a capture head", _OPEN
    return "is text, but not a capture: the first line is not a capture head", _OPEN


def read_head(fd: int, path: Path) -> Head:
    """Read the first record of a capture.

    Raises: CaptureError if the file is not a capture, or one that must not be read.
    """
    start = read_at(fd, 0, LOOKS_AT)
    try:
        head = from_line(start.split(b"\n", 1)[0])
    except ValueError:
        raise _not_read(path, start) from None
    if not isinstance(head, Head) or head.format != FORMAT:
        raise foreign(str(path), start)
    _refuse_newer(head.v, path)
    if unknown := [name for name in head.must if name not in _UNDERSTOOD]:
        raise CaptureError(
            f"{path} can't be read without knowing about {', '.join(unknown)}", hint="Update mcp-inspect."
        )
    return head


def _not_read(path: Path, start: bytes) -> CaptureError:
    """Return the error for a first line that is not a known record: a newer head may look different."""
    if type_of(start.split(b"\n", 1)[0]) == "head":
        return CaptureError(f"{path} begins with a head that mcp-inspect can't read", hint="Update mcp-inspect.")
    return foreign(str(path), start)


def _refuse_newer(version: str, path: Path) -> None:
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major[:_DIGITS]) < 1:
        raise CaptureError(f"{path} has an invalid version: {cut(version, 40)!r}", hint="Record it again.")
    if int(major[:_DIGITS]) > int(VERSION.partition(".")[0]):
        raise CaptureError(
            f"{path} was written by a newer mcp-inspect: its format is {cut(version, 40)}, "
            f"this one reads up to {VERSION}",
            hint="Update mcp-inspect.",
        )


def is_newer_minor(version: str) -> bool:
    """Return whether a readable capture may contain unknown records and fields."""
    minor = version.partition(".")[2].partition(".")[0]
    return minor.isdecimal() and int(minor[:_DIGITS]) > int(VERSION.partition(".")[2])
