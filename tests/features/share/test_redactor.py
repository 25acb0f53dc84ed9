"""Secrets are removed from texts of all kinds, and everything else stays unchanged."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.features.share.known import KnownSecrets, Pseudonyms, read_path
from inspector.features.share.redactor import Redactor

NAMES = Pseudonyms(b"key")
P = NAMES.text("hunter22")


def redactor(*known: str) -> Redactor:
    table = KnownSecrets()
    for value in known:
        table.add(value, "secret:1")
    found = Redactor(NAMES, table, paths=[read_path("params.*.note")], users=["annelise"], homes=["/data/annelise"])
    found.activate(list(table))
    return found


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ('{"password": "hunter22"}', f'{{"password": "{P}"}}'),
        ("password=hunter22 user=x", f"password={P} user=x"),
        ('{"name":"API_KEY","value":"hunter22"}', f'{{"name":"API_KEY","value":"{P}"}}'),
        ('{"value":"hunter22","name":"API_KEY"}', f'{{"value":"{P}","name":"API_KEY"}}'),
        (
            '[{"value":"hunter22","x":{"name":1},"header":"x-api-key"}]',
            f'[{{"value":"{P}","x":{{"name":1}},"header":"x-api-key"}}]',
        ),
        (
            '[{"value":"plain"},{"value":"hunter22","name":"password"}]',
            f'[{{"value":"plain"}},{{"value":"{P}","name":"password"}}]',
        ),
        ('{"value":"hunter22","x":{"name":"API_KEY"}}', '{"value":"hunter22","x":{"name":"API_KEY"}}'),
        ("DB_PASSWORD: 'hunter22'", f"DB_PASSWORD: '{P}'"),
        ("--api-key hunter22 --level 3", f"--api-key {P} --level 3"),
        ("https://a/b?page=1&access_token=hunter22#x", f"https://a/b?page=1&access_token={P}#x"),
        ("https://me:hunter22@host/", f"https://{NAMES.text('me')}:{P}@host/"),
        ("Authorization: Bearer hunter22", f"Authorization: Bearer {P}"),
        ('got {"a":1,"secret":"hunter22"} there', f'got {{"a":1,"secret":"{P}"}} there'),
        ('body="{\\"password\\":\\"hunter22\\"}"', f'body="{{\\"password\\":\\"{P}\\"}}"'),
        ("/home/berta/x /Users/berta", f"/home/{NAMES.text('berta')}/x /Users/{NAMES.text('berta')}"),
        ("/data/annelise/x by annelise", f"/data/{NAMES.text('annelise')}/x by {NAMES.text('annelise')}"),
        ("%7B%22password%22%3A%22hunter22%22%7D", f"%7B%22password%22%3A%22{P}%22%7D"),
    ],
)
def test_secret_is_replaced_in_place(text: str, copy: str) -> None:
    assert redactor().text(text, "raw") == copy


@pytest.mark.parametrize(
    "text",
    [
        '{"a" : 1E2,"a":1.0,  "b":"\\u0061\\/é","progressToken":"p-12345678","maxTokens":100}',
        "the token is missing; Basic authentication; a bearer of news",
        '{"tools":[{"inputSchema":{"properties":{"password":{"type":"string","description":"yours"}}}}]}',
        "/home/user/x, /Users/Shared, C:\\x, annelises",
        "https://example.com/a?page=2&q=a%20b",
        base64.b64encode(bytes(range(256)) * 3).decode(),
        "Bearer •••••• (40 characters)",
        '{"password":""}',
        "",
        "\ufeff[]",
        '{"cut": "in the mid',
    ],
)
def test_harmless_text_is_unchanged(text: str) -> None:
    found = redactor()
    assert found.text(text, "raw") == text
    assert found.found == []


def test_base64_within_json_within_a_string_is_opened() -> None:
    inner = base64.b64encode(b'{"password":"hunter22"} and more').decode()
    text = json.dumps({"text": json.dumps({"data": inner})})
    new = json.loads(json.loads(redactor().text(text, "raw"))["text"])["data"]
    assert base64.b64decode(new) == f'{{"password":"{P}"}} and more'.encode()


def test_a_known_value_is_replaced_in_every_spelling() -> None:
    value = 'a "b"/ö 7'
    spelt = [value, json.dumps(value), "x" + base64.b64encode(b"zz" + value.encode() + b"z").decode()]
    new = redactor(value).text(" ".join(spelt), "raw")
    assert value not in new
    assert json.dumps(value)[1:-1] not in new
    assert new.startswith(NAMES.text(value))


def test_a_named_place_is_replaced_in_messages_alone() -> None:
    text = '{"params":{"a":{"note":"plain words","n":1},"b":{"note":{"deep":5}}}}'
    assert redactor().text(text, "raw") == text
    new = json.loads(redactor().text(text, "raw", is_message=True))["params"]
    assert new["a"] == {"note": NAMES.text("plain words"), "n": 1}
    assert new["b"]["note"]["deep"] != 5
    batch = json.loads(redactor().text(f"[{text}]", "raw", is_message=True))
    assert batch[0]["params"]["a"] == new["a"]


def test_bytes_that_are_no_text_come_back_but_for_the_secret() -> None:
    assert (
        redactor().payload(b"\xff\x00 password=hunter22 \xfe", "b64") == b"\xff\x00 password=" + P.encode() + b" \xfe"
    )


def test_each_replacement_is_noted_with_its_place_and_without_the_secret() -> None:
    found = redactor()
    found.text('{"params":{"list":[{"password":"hunter22"}],"pin_secret":1234567}}', "raw")
    first, second = found.found
    assert first[:3] == ("key", "raw.params.list.0.password", 12)
    assert (second.path, second.kind) == ("raw.params.pin_secret", "number")
    assert "hunter22" not in repr(found.found)


@given(st.text(max_size=80) | st.text(alphabet='{}[]",:\\%=&?/ password token abA1\n', max_size=120))
def test_redactor_never_raises_and_keeps_json_valid(text: str) -> None:
    new = redactor("abA1").text(text, "raw", is_message=True)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return
    json.loads(new)


def test_secret_ends_before_punctuation() -> None:
    for text in ("token=hunter22.", "token=hunter22, x", "?token=hunter22&a", "token hunter22"):
        assert P in redactor("hunter22").text(text, "raw")


def test_a_known_value_within_a_number_leaves_a_number() -> None:
    assert isinstance(json.loads(redactor("4711").text('{"n":1247118}', "raw"))["n"], int)
    assert "4711" not in redactor("4711").text('{"n":1247118}', "raw")


def test_below_the_deepest_layer_known_values_and_pairs_are_still_found() -> None:
    text = "password=hunter22 and abA1abA1"
    for _ in range(12):
        text = json.dumps({"a": text})
    new = redactor("abA1abA1").text(text, "raw")
    assert "hunter22" not in new
    assert "abA1abA1" not in new
