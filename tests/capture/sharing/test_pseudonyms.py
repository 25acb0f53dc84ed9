"""What stands for a secret: the same for the same under one key, and no longer than its class."""

import json

import pytest

from inspector.capture.sharing.pseudonyms import Pseudonyms, is_pseudonym, length_class

ONE, OTHER = Pseudonyms(b"one"), Pseudonyms(b"other")


@pytest.mark.parametrize(("length", "size"), [(1, 12), (12, 12), (13, 16), (17, 32), (100, 128), (10**9, 65536)])
def test_a_length_is_told_by_its_class(length: int, size: int) -> None:
    assert length_class(length) == size


@pytest.mark.parametrize("secret", ["a", "hunter2", "x" * 40, "ö\udc80", "y" * 500])
def test_a_pseudonym_is_plain_and_as_long_as_its_class(secret: str) -> None:
    name = ONE.text(secret)
    assert is_pseudonym(name)
    assert len(name) == length_class(len(secret))
    assert json.dumps(name) == f'"{name}"'
    assert name == ONE.text(secret) == ONE.text(name)
    assert name != OTHER.text(secret)
    assert ONE.mark(secret) not in name


def test_nothing_stays_nothing() -> None:
    assert ONE.text("") == ""


@pytest.mark.parametrize("literal", ["7", "-12.5", "123456", "1e400", "9" * 40])
def test_a_number_stays_one_that_every_reader_keeps(literal: str) -> None:
    number = json.loads(ONE.number(literal))
    assert isinstance(number, int)
    assert 1000 <= number < 2**53
    assert ONE.number(literal) == str(number) != OTHER.number(literal)


def test_what_only_looks_a_little_like_one_is_none() -> None:
    assert not is_pseudonym("rdct_abc")
    assert not is_pseudonym("rdct_abcdefgh")
