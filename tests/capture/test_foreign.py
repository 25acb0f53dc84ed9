"""Whoever opens the wrong file is told what it looks like and what to do."""

import pytest

from inspector.capture.foreign import LOOKS_AT, foreign


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"", "x is empty"),
        (b" \n\n", "x holds nothing but blanks"),
        (b"<!DOCTYPE html><html>", "x holds HTML, not a capture"),
        (b"\xef\xbb\xbf\n<html lang=en>", "x holds HTML, not a capture"),
        (b"<?xml version='1.0'?>", "x holds XML, not a capture"),
        (b"\x1f\x8b\x08", "x is compressed with gzip"),
        (b"\x28\xb5\x2f\xfd", "x is compressed with zstd"),
        (b"PK\x03\x04", "x is a zip archive"),
        (b"SQLite format 3\x00", "x is an SQLite database"),
        (b"\x7fELF\x00", "x is no text, so it is no capture"),
        (b"caf\xe9 au lait and more", "x is no text, so it is no capture"),
        (b'{"jsonrpc":"2.0","id":1}\n', "x looks like bare JSON-RPC messages, without the records of a capture"),
        (b'{"log":{"version":"1.2"}}', "x looks like a HAR file, not a capture"),
        (b'{"r":"frame"}\n', "x holds JSON, but no capture: its first line is no head"),
        (b"[1,2]", "x holds JSON, but no capture: its first line is no head"),
        (b'{"r":"head","form', "x is a capture that was cut in its first line"),
        (b"Dear diary", "x is text, but no capture: its first line is no head"),
    ],
)
def test_a_foreign_file_is_called_what_it_looks_like(start: bytes, sentence: str) -> None:
    error = foreign("x", start)
    assert str(error).startswith(sentence)
    assert error.hint


def test_a_character_that_our_own_look_has_cut_does_not_make_it_binary() -> None:
    start = b"a" * (LOOKS_AT - 1) + "é".encode()[:1]
    assert "is text" in str(foreign("x", start))
