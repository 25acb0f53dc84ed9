"""Entries as lines and as data."""

import msgspec

from inspector.viewmodels.lines import plain
from inspector.viewmodels.tail_lines import TailWriter
from tests.viewmodels.tape import Tape


def test_a_line_says_what_crossed_and_what_became_of_it(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.wait(12).answer(1, {"content": []})
    writer = TailWriter(tape.journal)
    line = plain(writer.line(2, 160))
    assert "tools/call echo" in line
    assert "✓ ok" in line
    assert "12 ms" in line
    assert writer.line(2, 160, "error") == ((plain(writer.line(2, 160)).rstrip(), "error"),)


def test_data_holds_the_message_as_it_came(tape: Tape) -> None:
    tape.call(1, "echo", {"q": 1})
    tape.wait(12).error(1, -5, "no")
    tape.stderr(b"oh\xff")
    tape.from_server(b"\xffjunk")
    tape.from_server(b'{\n "a": 1}')
    tape.died(code=3)
    writer = TailWriter(tape.journal)
    rows = [msgspec.json.decode(msgspec.json.encode(writer.data(n))) for n in range(1, 7)]
    assert rows[0]["message"]["params"]["arguments"] == {"q": 1}
    assert {key: rows[1][key] for key in ("n", "kind", "dir", "method", "target", "status", "duration_ms")} == {
        "n": 2,
        "kind": "error",
        "dir": "s2c",
        "method": "tools/call",
        "target": "echo",
        "status": "error",
        "duration_ms": 12.0,
    }
    assert rows[1]["time"].endswith("Z")
    assert [rows[2]["kind"], rows[2]["text"]] == ["stderr", "oh‹xFF›"]
    assert rows[3]["text"] == "‹xFF›junk"
    assert rows[4]["message"] == {"a": 1}
    assert b"\n" not in msgspec.json.encode(writer.data(5))
    assert "exited with code 3" in rows[5]["text"]
