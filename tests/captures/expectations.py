"""Makes `tests/captures/format/expected.json`: what a reader must do with each sample, in words and for programs.

`opens`: false where it must refuse the file and say why. `entries`: how many it shows. `left_out`: how many records it
passes over, and says so. `verify`: what the check comes to.
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
    """"" where the file is refused."""
    bad_line: int | None = None
    """The first line that does not fit."""


def _refused(must: str) -> Expectation:
    return Expectation(must, opens=False)


EXPECTED = {
    "good": Expectation("read it", entries=3, verify="whole"),
    "empty": _refused("refuse it: there is no head"),
    "head-only": Expectation("open it without entries, and say that it has no end", verify="cut"),
    "torn": Expectation("leave the last line out, say so, and show the rest", entries=2, left_out=1, verify="cut"),
    "garbage": Expectation(
        "pass over the lines that are no records, count them, and go on",
        entries=2,
        left_out=3,
        verify="faulty",
        bad_line=4,
    ),
    "newer-minor": Expectation(
        "read it, say that it is newer, pass over what is unknown", entries=4, left_out=2, verify="whole"
    ),
    "newer-major": _refused("refuse it, and name both versions"),
    "unknown-must": _refused("refuse it, and name what it would have to know"),
    "unknown-records": Expectation("pass over the records and count them", entries=3, left_out=2, verify="whole"),
    "wrong-digest": Expectation("show it; a check finds the change", entries=3, verify="faulty", bad_line=6),
    "wrong-length": Expectation("show it, and say that lengths differ", entries=3, verify="faulty", bad_line=4),
    "hostile": Expectation(
        "show control signs, bidi and markup as what they are, and act on none", entries=8, verify="whole"
    ),
    "binary": Expectation("give back `b64` to the byte, and keep empty frames", entries=5, verify="whole"),
    "gap": Expectation("say how much was lost, and why", entries=3, verify="faulty", bad_line=5),
    "bom": Expectation(
        "read it, mark or no mark; the last digest does not fit", entries=3, verify="faulty", bad_line=7
    ),
    "crlf": Expectation(
        "read it; the last digest does not fit, those of the wire do", entries=3, verify="faulty", bad_line=7
    ),
    "huge-line": Expectation("read a line of 1.2 MB like any other", entries=4, verify="whole"),
    "side-file": Expectation(
        "open no other file, leave the frame out and say so; leave notes alone that name a path",
        entries=3,
        left_out=1,
        verify="faulty",
        bad_line=5,
    ),
    "redacted": Expectation("read it, and never call it verified against the wire", entries=3, verify="redacted"),
    "not-a-capture": _refused("refuse it, and say what it looks like"),
}


def document() -> str:
    """The file."""
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
