"""Values that are known are found in every spelling that a text may have."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from inspector.capture.sharing.known import MOST, Known, is_harmless_variable, is_telling

SECRET = 'pä"ss/wo\\rd 7+'


def _known(*values: str) -> Known:
    known = Known()
    for value in values:
        known.add(value, "secret:1")
    return known


SPELT = {
    "plain": SECRET.encode(),
    "json": json.dumps(SECRET).encode(),
    "json, not ascii": json.dumps(SECRET, ensure_ascii=False).encode(),
    "json in json": json.dumps(json.dumps({"a": SECRET})).encode(),
    "json with slashes": json.dumps(SECRET).replace("/", "\\/").encode(),
    "url": quote(SECRET, safe="").encode(),
    "form": quote_plus(SECRET).encode(),
    "hex": SECRET.encode().hex().encode(),
    **{f"base64 {n}": base64.b64encode(b"x" * n + SECRET.encode() + b"y" * 5) for n in range(4)},
    **{f"base64url {n}": base64.urlsafe_b64encode(b"x" * n + SECRET.encode() + b"y" * 4) for n in range(3)},
    "json in base64": base64.b64encode(json.dumps({"a": SECRET}).encode()),
}


@pytest.mark.parametrize("spelling", SPELT)
def test_a_secret_is_found_however_it_is_spelt(spelling: str) -> None:
    data = b"before " + SPELT[spelling] + b" behind"
    known = _known("another", SECRET)
    left = known.survivor(data)
    assert left is not None
    assert left[0].value == SECRET
    assert [each.value for each in known.within(data)] == [SECRET]
    assert len(known.within(data)[0].spellings) > 1 or spelling == "plain"
    assert len(SPELT["plain"]) < known.longest()


def test_what_is_not_there_is_not_found() -> None:
    assert _known(SECRET).survivor(b"nothing of that") is None
    assert Known().longest() == 0


def test_long_values_come_before_what_is_part_of_them() -> None:
    assert [each.value for each in _known("abc1", "abc12345", "bc12")] == ["abc12345", "abc1", "bc12"]


def test_only_telling_values_are_learnt_and_not_without_end() -> None:
    known = Known()
    known.learn("none", "key")
    for n in range(MOST + 3):
        known.learn(f"value-{n:06}", "key")
    assert len(known) == MOST
    assert known.unlearnt == 3


def test_variables_of_every_environment_are_harmless() -> None:
    assert is_harmless_variable("PATH")
    assert is_harmless_variable("LC_ALL")
    assert not is_harmless_variable("DATABASE_URL")


@pytest.mark.parametrize(
    ("value", "telling"),
    [
        ("abc", False),
        ("production", False),
        ("a1b2c3d4", True),
        ("correct horse battery", True),
        ("11111111111", False),
    ],
)
def test_a_value_is_telling_if_it_hardly_stands_elsewhere_by_chance(value: str, telling: bool) -> None:
    assert is_telling(value) is telling
