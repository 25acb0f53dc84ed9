"""Makes `tests/captures/format/expected.json`: what a reader must do with each sample, in words and for programs.

`opens`: false if it must reject the file and report why. `entries`: how many it shows. `left_out`: how many records it
skips and reports. `verify`: the state that `mcp-inspect verify` reports.
"""

import json

import msgspec

from tests.captures.formats import DIRECTORY


class Expectation(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reader must do with one sample."""

    must: str
    opens: bool = True
    entries: int = 0
    left_out: int = 0
    verify: str = ""
    """"" if the file is rejected."""
    bad_line: int | None = None
    """The first line that does not match."""


def _refused(must: str) -> Expectation:
    return Expectation(must, opens=False)


EXPECTED = {
    "good": Expectation("read it", entries=3, verify="complete"),
    "empty": _refused("reject it: there is no head"),
    "head-only": Expectation("open it without entries, and report that it has no end", verify="truncated"),
    "torn": Expectation("skip the last line, report it, and show the rest", entries=2, left_out=1, verify="truncated"),
    "garbage": Expectation(
        "skip the lines that are not records, and count them", entries=2, left_out=3, verify="damaged", bad_line=4
    ),
    "newer-minor": Expectation(
        "read it, report that it is newer, skip what is unknown", entries=4, left_out=2, verify="complete"
    ),
    "newer-major": _refused("reject it, and name both versions"),
    "unknown-must": _refused("reject it, and name the unknown feature"),
    "unknown-records": Expectation("skip the records and count them", entries=3, left_out=2, verify="complete"),
    "wrong-digest": Expectation("show it; `verify` finds the change", entries=3, verify="damaged", bad_line=6),
    "wrong-length": Expectation("show it, and report that lengths differ", entries=3, verify="damaged", bad_line=4),
    "hostile": Expectation(
        "escape control characters, bidirectional controls and markup", entries=8, verify="complete"
    ),
    "binary": Expectation("restore `b64` to the byte, and keep empty frames", entries=5, verify="complete"),
    "gap": Expectation("report how much was lost, and why", entries=3, verify="damaged", bad_line=5),
    "bom": Expectation(
        "ignore the byte-order mark; the last digest does not match", entries=3, verify="damaged", bad_line=7
    ),
    "crlf": Expectation(
        "read it; the last digest does not match, those of the wire do", entries=3, verify="damaged", bad_line=7
    ),
    "huge-line": Expectation("read a line of 1.2 MB like any other", entries=4, verify="complete"),
    "side-file": Expectation(
        "open no other file, skip the frame and report it; ignore notes that name a path",
        entries=3,
        left_out=1,
        verify="damaged",
        bad_line=5,
    ),
    "redacted": Expectation("read it, and never call it verified against the wire", entries=3, verify="redacted"),
    "not-a-capture": _refused("reject it, and report what it looks like"),
}


def document() -> str:
    return json.dumps(msgspec.to_builtins(EXPECTED), indent=2, ensure_ascii=False) + "\n"


def table() -> str:
    """The same as a table for `docs/mcpcap.md`."""
    rows = ["| sample | a reader must | entries | left out | verify |", "|---|---|---|---|---|"]
    for name, each in EXPECTED.items():
        numbers = f"{each.entries} | {each.left_out}" if each.opens else "– | –"
        rows.append(f"| `{name}` | {each.must} | {numbers} | {each.verify or 'refused'} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    (DIRECTORY / "expected.json").write_text(document())
