"""The small things that all readers need."""

import os
from pathlib import Path

import msgspec

from inspector.capture.import_.items import Source, is_there, said


def test_what_is_null_is_not_there_and_half_a_sign_can_be_said() -> None:
    assert [is_there(msgspec.Raw(text)) for text in (b"null", b"", b"0")] == [False, False, True]
    assert said("\ud800") == b"\xed\xa0\x80"


def test_lines_come_without_marks_and_blanks(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\n[]\n{"b":2}')
    fd = os.open(file, os.O_RDONLY)
    source = Source(fd, "x")
    assert list(source.lines()) == [b'{"a":1}', b"[]", b'{"b":2}']
    assert [list(each) for each in source.objects()] == [["a"], ["b"]]
    assert source.passed_over == {"lines that are no JSON object": 1}
    assert source.read(3, 7) == b'{"a":1}'
    os.close(fd)
