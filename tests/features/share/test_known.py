"""Keys and values are found in JSON, complete or truncated, and recognized as secret by their context."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.features.share.known import (
    MOST,
    KnownSecrets,
    Level,
    MultiSearch,
    Pseudonyms,
    Replacing,
    is_harmless_variable,
    is_pseudonym,
    is_telling,
    length_class,
    path_of,
    read_path,
    spans,
    unquoted,
)
from inspector.protocol.credentials import is_secret


def secrets(text: str) -> list[tuple[str, str]]:
    """What is secret, with its path."""
    levels: list[Level] = []
    return [
        (".".join(path_of(levels)), text[span.start : span.end])
        for span in spans(text, 0, is_secret, levels)
        if span.is_secret
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a":{"password" : "x", "b":"y"}}', [("a.password", '"x"')]),
        ('[{"token":["x",{"n":1}],"z":2}]', [("0.token.0", '"x"'), ("0.token.1.n", "1")]),
        ('{"p\\u0061ssword":"x"}', [("password", '"x"')]),
        ('{"password":"x', [("password", '"x')]),
        ('{"password":true,"secret":null}', []),
        ('{"properties":{"token":{"type":"string","default":"x"}}}', [("properties.token.default", '"x"')]),
        ('{"env":[{"name":"API_KEY","value":"x"},{"name":"A","value":"y"}]}', [("env.0.value", '"x"')]),
        ('}}]{"secret":"x"}', [("secret", '"x"')]),
        ('{"id":1}', []),
    ],
)
def test_secrets_are_known_by_name(text: str, found: list[tuple[str, str]]) -> None:
    assert secrets(text) == found


@pytest.mark.parametrize(
    ("literal", "text"), [('"a"', "a"), ('"a\\n"', "a\n"), ('"a', "a"), ('"\\x"', "\\x"), ('"', ""), ('"\\', "\\")]
)
def test_a_string_is_read_as_far_as_it_can_be(literal: str, text: str) -> None:
    assert unquoted(literal) == text


@given(st.text(alphabet='{}[]",:\\a1 tokenpassword\n', max_size=60))
def test_spans_stand_in_order_whatever_comes(text: str) -> None:
    at = 0
    for span in spans(text, 0, is_secret, []):
        assert at <= span.start < span.end <= len(text)
        at = span.end


def test_depth_has_no_end() -> None:
    assert len(list(spans("[" * 100_000 + "1", 0, is_secret, []))) == 1


SECRET = 'pä"ss/wo\\rd 7+'


def _known(*values: str) -> KnownSecrets:
    known = KnownSecrets()
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


def test_unknown_secret_is_not_found() -> None:
    assert _known(SECRET).survivor(b"nothing of that") is None
    assert KnownSecrets().longest() == 0


def test_long_values_come_before_what_is_part_of_them() -> None:
    assert [each.value for each in _known("abc1", "abc12345", "bc12")] == ["abc12345", "abc1", "bc12"]


def test_only_telling_values_are_learnt_and_not_without_end() -> None:
    known = KnownSecrets()
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
def test_distinctive_values_are_not_found_by_chance(value: str, telling: bool) -> None:
    assert is_telling(value) is telling


@pytest.mark.parametrize("text", ["params.a.0", "$.params.a[0]", "$['params'].a[0]", "params.*[*]"])
def test_ways_to_write_a_path(text: str) -> None:
    path = read_path(text)
    assert path.covers(("params", "a", "0"))
    assert path.covers(("params", "a", "0", "deeper"))
    assert not path.covers(("params", "a"))


@pytest.mark.parametrize("text", ["", ".", "$", "a[", "a..b", "a[]"])
def test_invalid_path_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no path into a message"):
        read_path(text)


ONE, OTHER = Pseudonyms(b"one"), Pseudonyms(b"other")


@pytest.mark.parametrize(("length", "size"), [(1, 12), (12, 12), (13, 16), (17, 32), (100, 128), (10**9, 65536)])
def test_length_class_covers_lengths(length: int, size: int) -> None:
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


def test_similar_text_is_no_pseudonym() -> None:
    assert not is_pseudonym("rdct_abc")
    assert not is_pseudonym("rdct_abcdefgh")


def test_replaced_value_is_noted_and_learnt() -> None:
    known = KnownSecrets()
    replacing = Replacing(Pseudonyms(b"key"), known, learns=True)
    replacing.where = "headers.X"
    new = replacing.secret("value-12345", "header")
    assert replacing.secret(new, "header") == new
    replacing.secret("annelise-1", "home")
    assert replacing.number("1234", "key") != "1234"
    assert [(each.rule, each.path, each.kind) for each in replacing.found] == [
        ("header", "headers.X", "string"),
        ("home", "headers.X", "string"),
        ("key", "headers.X", "number"),
    ]
    assert [each.value for each in known] == ["value-12345"]


def test_only_what_is_looked_for_is_replaced() -> None:
    known = KnownSecrets()
    known.add("1234", "secret:1")
    replacing = Replacing(Pseudonyms(b"key"), known, learns=False)
    assert (replacing.plain("a1234"), replacing.rule_of("51234")) == ("a1234", "")
    before = replacing.activate_within("x\\u0031234")
    assert before == []
    assert replacing.plain("a1234") == replacing.spelt("a1234") != "a1234"
    assert replacing.rule_of("51234") == "secret:1"


_BYTES = st.binary(min_size=1, max_size=24) | st.text("ab\\", min_size=1, max_size=12).map(str.encode)


@given(st.sets(_BYTES, max_size=8), st.lists(_BYTES, max_size=8))
def test_all_values_that_stand_in_bytes_are_found_and_no_others(values: set[bytes], parts: list[bytes]) -> None:
    seeker = MultiSearch()
    for value in values:
        seeker.add(value)
    data = b"".join([*parts, *sorted(values)[:2], b"end"])
    assert seeker.found(data) == {value for value in values if value in data}


@pytest.mark.parametrize(
    "value",
    [b"abc", b"Lamp-77", b"Lamp-77-oi", b"Lamp-77-oil", b"a quiet harbour lamp", b"a quiet lamp in the harbour"],
)
def test_a_value_is_found_at_each_place(value: bytes) -> None:
    seeker = MultiSearch()
    for each in (value, b"another", b"and another one"):
        seeker.add(each)
    for before in range(17):
        for behind in range(17):
            data = b"x" * before + value + b"y" * behind
            assert seeker.may_find(data)
            assert seeker.found(data) == {value}
