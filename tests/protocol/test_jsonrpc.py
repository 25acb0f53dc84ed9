"""JSON-RPC messages read from bytes and written."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.protocol import jsonrpc
from inspector.protocol.jsonrpc import (
    RESPELLED_ID,
    ErrorResponse,
    Message,
    Notification,
    NotJsonRpc,
    Part,
    Request,
    ResultResponse,
    decode_in_pieces,
    encode,
    read,
    read_around,
    write_batch,
    write_error,
    write_notification,
    write_request,
    write_response,
)
from tests.protocol.test_peek import JSON


def one(payload: bytes) -> Message:
    (message,) = read(payload)
    return message


def test_a_request_keeps_its_id_method_and_params() -> None:
    message = one(b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add"}}')
    assert isinstance(message, Request)
    assert (message.id, message.method, message.params, message.defects) == ("a", "tools/call", {"name": "add"}, ())
    assert message.params_part.raw == b'{"name":"add"}'


def test_the_number_one_and_the_string_one_are_two_ids() -> None:
    first, second = one(b'{"jsonrpc":"2.0","id":1,"method":"m"}'), one(b'{"jsonrpc":"2.0","id":"1","method":"m"}')
    assert isinstance(first, Request)
    assert isinstance(second, Request)
    assert first.id == 1
    assert second.id == "1"


def test_a_notification_has_no_id() -> None:
    message = one(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert isinstance(message, Notification)
    assert message.params is None


def test_an_answer_has_a_result_and_an_error_has_an_error() -> None:
    answer = one(b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}')
    error = one(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}')
    assert isinstance(answer, ResultResponse)
    assert answer.result == {"a": 1}
    assert isinstance(error, ErrorResponse)
    assert (error.id, error.code, error.message) == (1, -32601, "what?")


@pytest.mark.parametrize(
    "payload", [b'{"jsonrpc":"2.0","error":{"code":1}}', b'{"jsonrpc":"2.0","id":null,"error":{}}']
)
def test_error_without_id_has_none(payload: bytes) -> None:
    message = one(payload)
    assert isinstance(message, ErrorResponse)
    assert message.id is None


def test_a_batch_is_several_messages_in_order() -> None:
    found = read(b'[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"n"},3]')
    assert [type(message) for message in found] == [ResultResponse, Notification, NotJsonRpc]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"Server listening on port 3000", "not JSON"),
        (b"", "an empty line"),
        (b"   ", "an empty line"),
        (b"42", "a JSON number, not an object"),
        (b'"hi"', "a JSON string, not an object"),
        (b"[]", "an empty JSON array"),
        (b"{}", "an object without method, result or error"),
        (
            b'{"message":"Route POST:/sse not found","error":"Not Found","statusCode":404}',
            'an object whose "error" is a text',
        ),
        (b'{"jsonrpc":"2.0","id":1}', "an object without method, result or error"),
        (b'{"jsonrpc":"2.0","method":7}', '"method" is not a string'),
        (b'{"jsonrpc":"2.0","result":{}}', "a result without a usable id"),
        (b"[" * 1_000_000 + b"]" * 1_000_000, "JSON nested too deeply to be read"),
    ],
)
def test_invalid_message_has_a_reason(payload: bytes, reason: str) -> None:
    message = one(payload)
    assert isinstance(message, NotJsonRpc)
    assert message.reason == reason


@pytest.mark.parametrize(
    ("payload", "defect"),
    [
        (b'{"id":1,"method":"m"}', '"jsonrpc" is missing'),
        (b'{"jsonrpc":"1.0","id":1,"method":"m"}', '"jsonrpc" is not "2.0"'),
        (b'{"jsonrpc":2.0,"id":1,"method":"m"}', '"jsonrpc" is not "2.0"'),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"m"}', "starts with a byte-order mark"),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}', "both result and error"),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","result":{}}', "both method and result"),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', "the id is a boolean"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"m"}', "the id is a fraction"),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', "invalid UTF-8 at byte 34"),
    ],
)
def test_defective_message_is_read_with_defects(payload: bytes, defect: str) -> None:
    message = one(payload)
    assert not isinstance(message, NotJsonRpc)
    assert defect in message.defects


def test_params_that_msgspec_refuses_are_read_tolerantly() -> None:
    message = one(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"lone":"\\ud800","bad":"\xff"}}')
    assert isinstance(message, Request)
    assert message.params == {"lone": "\ud800", "bad": "\ufffd"}


def test_params_nested_ten_thousand_deep_do_not_raise() -> None:
    deep = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    message = one(b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + deep + b"}")
    assert isinstance(message, NotJsonRpc | Request)


def test_big_numbers_and_the_order_of_members_survive_writing() -> None:
    params = {"z": 2**70, "a": 1.0}
    assert write_request(1, "m", params) == (
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"z":1180591620717411303424,"a":1.0}}'
    )


def test_absent_params_are_not_written() -> None:
    assert write_notification("n") == b'{"jsonrpc":"2.0","method":"n"}'
    assert write_response(1, {}) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert write_error(None, -1, "no") == b'{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}'


def test_a_batch_is_an_array_of_what_was_written() -> None:
    batch = write_batch([write_request(1, "a"), write_notification("b")])
    assert [type(message) for message in read(batch)] == [Request, Notification]


def test_a_lone_surrogate_can_be_sent() -> None:
    assert json.loads(encode({"a": "\ud800"})) == {"a": "\ud800"}
    assert encode({"id": "\ud800", "result": msgspec.Raw(b'{"n": 1.50}')}) == b'{"id":"\\ud800","result":{"n": 1.50}}'


def test_a_part_made_of_a_value_renders_it() -> None:
    assert Part(None, {"a": 1}).raw == b'{"a":1}'


@given(st.binary(max_size=200))
def test_any_bytes_are_some_message(payload: bytes) -> None:
    assert read(payload)


@given(JSON)
def test_any_json_is_some_message_and_can_be_looked_into(value: Any) -> None:
    for message in read(json.dumps(value).encode()):
        for look in ("params", "result", "error", "code", "message"):
            getattr(message, look, None)


@given(st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.text(max_size=10), JSON)
def test_written_request_is_read_back(id_: int | str, method: str, params: Any) -> None:
    message = one(write_request(id_, method, {"p": None}))
    assert isinstance(message, Request)
    assert (message.id, message.method, message.params) == (id_, method, {"p": None})


@pytest.mark.parametrize("beside", [b"1", b"NaN"])
def test_a_number_of_thousands_of_digits_takes_nothing_of_the_message_with_it(beside: bytes) -> None:
    digits = b"9" * 5000
    (message,) = read(b'{"jsonrpc":"2.0","id":1,"result":{"big":' + digits + b',"beside":' + beside + b',"text":"t"}}')
    assert isinstance(message, ResultResponse)
    assert (message.result["big"], message.result["text"]) == (float("inf"), "t")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"[" * 1_000_000 + b"]" * 1_000_000, "JSON nested too deeply to be read"),
        (
            b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
            "JSON nested too deeply to be read",
        ),
        (b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000, "JSON nested too deeply to be read"),
        (b"[" * 1_000_000, "JSON nested too deeply to be read"),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 1_000_000 + b',"result":{}}', "a result without a usable id"),
    ],
    ids=["array", "result", "object", "open", "id"],
)
def test_deep_or_long_message_is_invalid_with_a_reason(payload: bytes, reason: str) -> None:
    (message,) = read(payload)
    assert isinstance(message, NotJsonRpc)
    assert message.reason == reason


@pytest.mark.parametrize(
    "number", ["9" * 1_000_000, "-" + "9" * 1_000_000, "1e" + "9" * 1_000_000, "0." + "1" * 1_000_000]
)
def test_a_number_of_a_million_digits_is_read_at_once(number: str) -> None:
    (message,) = read(b'{"jsonrpc":"2.0","id":1,"result":{"n":%s}}' % number.encode())
    assert isinstance(message, ResultResponse)
    assert isinstance(message.result["n"], float)


def test_oversized_message_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc, "_LARGE", 100)
    monkeypatch.setattr(jsonrpc, "MOST_VALUES", 50)
    few, many = b'{"text":"' + b"x" * 200 + b'"}', b"[" + b",".join([b"[]"] * 60) + b"]"
    for part, expected in ((few, {"text": "x" * 200}), (many, None)):
        (message,) = read(b'{"jsonrpc":"2.0","id":1,"result":' + part + b"}")
        assert isinstance(message, ResultResponse)
        assert (message.result, message.result_part.raw) == (expected, part)
    (odd,) = read(b'{"jsonrpc":"1.0","id":1,"result":' + many + b"}")
    assert isinstance(odd, NotJsonRpc)
    assert "too large to inspect" in odd.reason


@pytest.mark.parametrize(
    ("written", "id_"), [("1.0", 1), ("1e2", 100), ("1E+2", 100), ("-0.0", 0), ("9007199254740992.0", 2**53)]
)
@pytest.mark.parametrize("member", ["result", "error"])
def test_an_id_is_the_number_however_it_is_written(written: str, id_: int, member: str) -> None:
    message = one(f'{{"jsonrpc":"2.0","id":{written},"{member}":{{}}}}'.encode())
    assert isinstance(message, ResultResponse | ErrorResponse)
    assert (message.id, type(message.id), message.defects) == (id_, int, (RESPELLED_ID,))


@pytest.mark.parametrize("written", ["1.5", "9007199254740994.0", "1e400"])
def test_a_number_that_is_no_integer_or_no_exact_one_is_no_id(written: str) -> None:
    message = one(f'{{"jsonrpc":"2.0","id":{written},"result":{{}}}}'.encode())
    assert isinstance(message, NotJsonRpc)


def test_tolerant_and_large_responses_have_their_id() -> None:
    odd, large = one(b'{"id":1.0,"result":{}}'), one(b'{"jsonrpc":"2.0","id":1.0,"result":"%s"}' % (b"x" * 17_000_000))
    assert isinstance(odd, ResultResponse)
    assert isinstance(large, ResultResponse)
    assert (odd.id, large.id) == (1, 1)


def test_a_response_is_read_around_objects_that_are_there_already() -> None:
    items = [{"name": "a"}, {"name": "b"}]
    payload = b'{"jsonrpc":"2.0","id":1,"result":{"x":[1],"tools":[{"name":"a"},{"name":"b"}]}}'
    found = read_around(payload, "tools", items)
    assert found is not None
    (message,) = found
    assert isinstance(message, ResultResponse)
    assert (message.id, message.result) == (1, {"x": [1], "tools": items})
    assert message.result["tools"][0] is items[0]


@pytest.mark.parametrize(
    "payload",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":[1]}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"tools":7}}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"result":[]}',
        b'{"jsonrpc":"2.0","id":1.0,"result":{"tools":[1,2]}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"tools":[1,2]}}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","result":{"tools":[1,2]}}',
        b"nonsense",
    ],
)
def test_read_around_needs_a_plain_response(payload: bytes) -> None:
    assert read_around(payload, "tools", [{}, {}]) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=8),
    max_leaves=40,
)


@settings(max_examples=100, deadline=None)
@given(_JSON, st.sampled_from([1, 4, 16, 64]), st.booleans())
def test_the_same_values_come_of_it(value: Any, piece: int, spaced: bool) -> None:
    raw = msgspec.json.format(msgspec.json.encode(value), indent=2 if spaced else 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonrpc, "PIECE", piece)
        assert decode_in_pieces(raw) == msgspec.json.decode(raw)


@pytest.mark.parametrize("raw", [b"", b" ", b"[1,", b'{"a":1,}', b"[1] x", b'{"a":\xff"}', b'["\xff"]', b"[01]"])
def test_decode_in_pieces_refuses_invalid_json(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc, "PIECE", 2)
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_in_pieces(raw)


def test_decode_in_pieces_keeps_the_last_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc, "PIECE", 2)
    assert decode_in_pieces(b'{"a":1,"b":2,"a":[3,4]}') == {"a": [3, 4], "b": 2}


def test_depth_has_an_end() -> None:
    raw = b"[" * 150 + b"0," * jsonrpc.PIECE + b"0" + b"]" * 150
    value = decode_in_pieces(raw)
    for _ in range(150):
        value = value[0] if isinstance(value[0], list) else value
    assert len(value) == jsonrpc.PIECE + 1
