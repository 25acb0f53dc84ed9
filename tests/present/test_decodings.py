"""What texts and numbers may stand for."""

import base64
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.present.decodings import LARGEST, Decoding, readings, too_large

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + bytes(9)


def of(text: str, now_s: float | None = None) -> list[Decoding]:
    return readings(json.dumps(text).encode(), now_s)


def segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def test_json_inside_a_string_is_the_value_it_holds() -> None:
    (found,) = of(' {"a": [1, "two"]}\n')
    assert (found.name, found.look) == ("JSON", "json")
    assert json.loads(found.payload) == {"a": [1, "two"]}


def test_json_inside_a_string_inside_a_string_comes_off_layer_by_layer() -> None:
    value = {"deep": True}
    layered = json.dumps(json.dumps(json.dumps(value)))
    (outer,) = readings(json.dumps(layered).encode())
    (middle,) = readings(outer.payload)
    (inner,) = readings(middle.payload)
    assert json.loads(inner.payload) == value


@pytest.mark.parametrize("text", ["hello world", "{not json", "", "search", "true", "a/b/c", "0x1f", "file.txt"])
def test_plain_text_has_no_readings(text: str) -> None:
    assert of(text) == []


def test_base64_picture_is_recognized_by_its_bytes() -> None:
    (found,) = of(base64.b64encode(PNG).decode())
    assert (found.name, found.look, found.payload) == ("base64", "picture", PNG)
    assert "looks like image/png" in found.facts
    assert "640 × 480" in found.facts


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@given(data=st.binary(min_size=200, max_size=300))
def test_long_base64_is_read_in_both_alphabets(encode: object, data: bytes) -> None:
    assert callable(encode)
    found = of(encode(data).decode())
    if found:
        assert found[0].payload.strip() == data.strip()
    else:
        assert len(set(encode(data))) < 24


def test_base64_of_text_and_of_json_is_looked_at_as_such() -> None:
    (words,) = of(base64.b64encode("Grüße aus Köln".encode()).decode())
    assert (words.look, words.payload.decode()) == ("text", "Grüße aus Köln")
    (values,) = of(base64.b64encode(b'{"a": 1, "b": [2]}').decode())
    assert (values.look, values.payload) == ("json", b'{"a": 1, "b": [2]}')


@pytest.mark.parametrize("text", ["d41d8cd98f00b204e9800998ecf8427e" * 4, "getWeather", "AAAA" * 30])
def test_digests_names_and_monotony_are_no_base64(text: str) -> None:
    assert [found.name for found in of(text) if found.look != "bytes"] == []
    assert of("d41d8cd98f00b204e9800998ecf8427e" * 4) == []


def test_data_uri_has_claimed_and_actual_type() -> None:
    (found,) = [each for each in of("data:text/html;base64," + base64.b64encode(PNG).decode()) if each.name != "base64"]
    assert found.facts[0] == "declared as text/html"
    assert (found.look, found.payload) == ("picture", PNG)
    plain = of("data:,Hello%2C%20World")[0]
    assert (plain.name, plain.payload, plain.look) == ("data URI", b"Hello, World", "text")


def test_a_token_is_shown_with_its_times_and_never_as_verified() -> None:
    header, claims = b'{"alg":"RS256"}', b'{"sub":"me","exp":1700000000}'
    token = f"{segment(header)}.{segment(claims)}.{segment(b'signature')}"
    (found,) = of(f"Bearer {token}", now_s=1_800_000_000)
    assert found.name == "JWT"
    assert "not verified" in found.warning
    assert "exp 2023-11-14 22:13:20 UTC, expired" in found.facts
    assert json.loads(found.payload)["claims"] == {"sub": "me", "exp": 1_700_000_000}
    (unsigned,) = of(f"{segment(header)}.{segment(claims)}.", now_s=0)
    assert unsigned.facts == ("without a signature", "exp 2023-11-14 22:13:20 UTC")


def test_three_words_with_dots_are_no_token() -> None:
    assert of("com.example.server") == []


def test_escapes_of_urls_come_off() -> None:
    (found,) = of("https%3A%2F%2Fexample.com%2F%3Fq%3Da%20b")
    assert (found.name, found.payload) == ("URL-encoded", b"https://example.com/?q=a b")


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (b"1700000000", "seconds"),
        (b"1700000000123", "milliseconds"),
        (b"1700000000.5", "seconds"),
        (b'"1700000000000000000"', "nanoseconds"),
    ],
)
def test_numbers_that_may_be_times_are_read_as_such(value: bytes, unit: str) -> None:
    (found,) = readings(value)
    assert found.facts == (f"{unit} since 1970",)
    assert found.payload.startswith(b"2023-11-14 22:13:20")


@pytest.mark.parametrize("value", [b"12", b"-1700000000", b"true", b"null", b"{}", b"99999999999999999999", b"1e9"])
def test_other_values_are_no_times(value: bytes) -> None:
    assert readings(value) == []


@given(st.text() | st.binary().map(lambda data: base64.b64encode(data).decode()))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    for found in of(text, now_s=0.0):
        assert found.facts
        assert all(fact.isprintable() for fact in found.facts)


@given(st.binary())
def test_any_bytes_are_read_without_an_exception(value: bytes) -> None:
    readings(value, 0.0)


def test_oversized_value_is_refused_with_its_size() -> None:
    assert too_large(b'"x"') == ""
    assert "33 MB" in too_large(bytes(33_000_000))
    assert readings(b'"' + b"A" * (LARGEST + 1) + b'"') == []
