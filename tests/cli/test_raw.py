"""Reading the bytes that a command sends as they are."""

import io
from pathlib import Path

import pytest

from inspector.cli.raw import read_bytes
from inspector.errors import UsageError


def test_bytes_are_a_text_a_file_or_stdin(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"\xff\n")
    assert read_bytes("hé", io.StringIO()) == "hé".encode()
    assert read_bytes(f"@{file}", io.StringIO()) == b"\xff\n"
    assert read_bytes("-", io.StringIO("abc\n")) == b"abc\n"
    assert read_bytes("-", io.TextIOWrapper(io.BytesIO(b"\xfe"))) == b"\xfe"


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(UsageError, match="can't be read: No such file"):
        read_bytes("@/no/such/file", io.StringIO())
