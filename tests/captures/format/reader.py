"""A reader of captures that was written from docs/mcpcap.md alone, with what Python has: a second opinion on the page.

`python reader.py FILE` prints what it holds. For clarity it reads a file as a whole, which a program should not.
"""

import base64
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

ENTRIES = ("frame", "err", "conn", "proc", "http", "sse")
KNOWN = (*ENTRIES, "head", "sum", "gap", "redact", "end")
ENDS = {"lf": b"\n", "crlf": b"\r\n", "none": b""}
REQUIRED = {
    "frame": ("tm", "dir", "ch"),
    "err": ("tm",),
    "conn": ("tm", "ev"),
    "proc": ("tm", "ev"),
    "http": ("tm", "ex", "ev"),
    "sse": ("tm", "ex"),
}
BOM = b"\xef\xbb\xbf"


class Refused(Exception):
    """It is no capture, or one that this reader must not read."""


class Reader:
    """What a capture holds: `entries`, how many records were left out, and what its digests come to."""

    def __init__(self, data: bytes) -> None:
        *lines, rest = data.removeprefix(BOM).split(b"\n")
        self.head = _head(lines[0] if lines else rest)
        redaction = self.head["redaction"]
        self._is_copy = redaction["on"] != "none" and redaction["policy"] != "credentials"
        self.entries: list[tuple[dict[str, Any], bytes | None]] = []
        """Each with its payload, if such entries have one."""
        self.left_out, self._faults = int(rest != b""), 0
        self._streams: dict[tuple[str, str], tuple[Any, int, int]] = {}
        self._file = hashlib.sha256(BOM if data.startswith(BOM) else b"")
        self._counts = Counter[str]()
        self._is_blind, self._is_clean = False, False
        for line in lines:
            self._is_clean = False
            self._line(line)
            self._file.update(line + b"\n")
        if rest:
            self._is_clean = False

    @property
    def verdict(self) -> str:
        if self._faults:
            return "damaged"
        return "truncated" if not self._is_clean else "redacted" if self._is_copy else "complete"

    def _line(self, line: bytes) -> None:
        record = _record(line)
        counts = dict(self._counts)
        if record is not None and record["r"] in KNOWN:
            self._counts[record["r"]] += 1
        if record is None or record["r"] not in KNOWN:
            self.left_out += 1
            self._faults += record is None
        elif record["r"] == "frame":
            self._frame(record)
        elif record["r"] in ENTRIES:
            self.entries.append((record, _payload(record)))
        elif record["r"] == "sum" and not self._is_blind and not self._is_copy:
            digest, size, count = self._streams.get((record["dir"], record["ch"]), (hashlib.sha256(), 0, 0))
            told = record["sha256"], record.get("bytes", 0), record.get("frames", 0)
            self._faults += told != (digest.hexdigest(), size, count)
        elif record["r"] == "gap":
            self._is_blind, self._faults = True, self._faults + 1
        elif record["r"] == "end":
            counted = {kind: count for kind, count in record["counts"].items() if kind in KNOWN and count}
            self._faults += record["sha256"] != self._file.hexdigest() or counted != counts
            self._is_clean = record["clean"]

    def _frame(self, record: dict[str, Any]) -> None:
        payload = _payload(record)
        if payload is None:
            self.left_out, self._faults = self.left_out + 1, self._faults + 1
            return
        self.entries.append((record, payload))
        self._faults += record.get("len") not in (None, len(payload))
        digest, size, count = self._streams.get((record["dir"], record["ch"]), (hashlib.sha256(), 0, 0))
        crossed = payload + ENDS[record.get("eol", "none")]
        digest.update(crossed)
        self._streams[record["dir"], record["ch"]] = digest, size + len(crossed), count + 1


def _head(line: bytes) -> dict[str, Any]:
    head = _record(line)
    if head is None or head["r"] != "head" or head.get("format") != "mcpcap":
        raise Refused("it has no head")
    if int(head["v"].split(".")[0]) > 1 or head["must"]:
        raise Refused("it is of a later version, or asks for what this reader does not know")
    return head


def _record(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None if it can't be read."""
    try:
        record: dict[str, Any] = json.loads(line)
        return record if all(name in record for name in REQUIRED.get(record["r"], ())) else None
    except (ValueError, TypeError, KeyError):
        return None


def _payload(record: dict[str, Any]) -> bytes | None:
    if "b64" in record:
        return base64.b64decode(record["b64"])
    return record["raw"].encode() if "raw" in record else None


if __name__ == "__main__":
    found = Reader(Path(sys.argv[1]).read_bytes())
    for entry, content in found.entries:
        sys.stdout.write(f"{entry['tm']:>20} {entry['r']:<5} {content!r}\n")
    sys.stdout.write(f"{len(found.entries)} entries, {found.left_out} records left out: {found.verdict}\n")
