"""Bytes as hexadecimal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.hex_lines import HexLines, bytes_per_line
from inspector.viewmodels.lines import plain


def test_a_line_has_offset_bytes_and_characters() -> None:
    shown = HexLines(b'{"jsonrpc":"2.0","id\xff\n')
    assert shown.count == 2
    assert [plain(shown.line(index)) for index in range(2)] == [
        '00000000  7b 22 6a 73 6f 6e 72 70  63 22 3a 22 32 2e 30 22  {"jsonrpc":"2.0"',
        '00000010  2c 22 69 64 ff 0a                                 ,"id··',
    ]


def test_what_is_no_text_stands_out() -> None:
    roles = {part: role for part, role in HexLines(b"a\x1b\xff\n").line(0) if part.strip()}
    assert roles["1b "] == "warning"
    assert roles["ff "] == "number"


@pytest.mark.parametrize(("width", "count"), [(120, 16), (76, 16), (75, 8), (43, 8), (42, 4), (10, 4)])
def test_narrow_places_get_fewer_bytes_on_a_line(width: int, count: int) -> None:
    assert bytes_per_line(width) == count
    if width >= 30:
        assert len(plain(HexLines(bytes(16), count).line(0))) <= width


def test_an_empty_payload_has_no_lines() -> None:
    assert HexLines(b"").count == 0
    assert plain(HexLines(b"").header(20)).strip() == "offset    bytes"


@given(st.binary(min_size=1, max_size=70), st.sampled_from([4, 8, 16]), st.integers(10, 100))
def test_every_byte_is_there_and_none_acts(payload: bytes, per_line: int, width: int) -> None:
    shown = HexLines(payload, per_line)
    digits = "".join(plain(shown.line(index))[10 : 10 + per_line * 3 + (per_line > 8)] for index in range(shown.count))
    assert bytes.fromhex(digits.replace(" ", "")) == payload
    rows = [plain(shown.row(index, width).spans) for index in range(shown.count)]
    assert all(len(row) == width and row.isprintable() for row in rows)
