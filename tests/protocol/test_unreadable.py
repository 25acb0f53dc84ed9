"""What is known of a message of which only the beginning was kept."""

import pytest

from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Cut, Garbled
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import NotJsonRpc
from inspector.protocol.unreadable import messages_of, reason


def sent(n: int, id_: str) -> Frame:
    payload = f'{{"jsonrpc":"2.0","id":{id_},"method":"tools/list"}}'.encode()
    return Frame(n, n, n, Direction.TO_SERVER, Channel.STDIN, payload)


def cut(payload: str, lost: int = 1000) -> Frame:
    return Frame(9, 9, 9, Direction.FROM_SERVER, Channel.STDOUT, payload.encode(), cut=lost)


@pytest.mark.parametrize(
    ("id_", "beginning"),
    [
        ("1", '{"jsonrpc":"2.0","id":1,"result":{"tools":['),
        ("1", ' { "id" : 1 , "jsonrpc" : "2.0", "result": '),
        ('"a\\u0041"', '{"jsonrpc":"2.0","id":"a\\u0041","error":{"message":"'),
    ],
)
def test_cut_response_loses_its_request_with_a_reason(id_: str, beginning: str) -> None:
    conversation = Conversation()
    conversation.observe(sent(1, id_))
    garbled, told = conversation.observe(cut(beginning))
    assert isinstance(garbled, Garbled)
    assert isinstance(told, Cut)
    (exchange,) = conversation.exchanges
    assert (exchange.state, conversation.pairs.pending) == (ExchangeState.LOST, [])
    assert f"{len(beginning) + 1000:,} bytes" in exchange.why


@pytest.mark.parametrize(
    "beginning",
    [
        '{"jsonrpc":"2.0","id":2,"result":{',
        '{"jsonrpc":"2.0","id":"1","result":{',
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"id":1,"result":',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{',
        '{"id":99999999999999999999,"result":',
        "x" * 1000,
        "",
    ],
)
def test_cut_message_without_known_id_loses_none(beginning: str) -> None:
    conversation = Conversation()
    conversation.observe(sent(1, "1"))
    assert len(conversation.observe(cut(beginning))) == 1
    assert len(conversation.pairs.pending) == 1


def test_a_beginning_that_reads_like_a_message_is_none() -> None:
    whole = '{"jsonrpc":"2.0","id":1,"result":{}}'
    (message,) = messages_of(cut(whole + " " * 100))
    assert message == NotJsonRpc(reason(cut(whole + " " * 100)))


def deep(before: str = "", behind: str = "", depth: int = 1_000_000, within: str = "1") -> Frame:
    payload = "{" + before + '"result":' + "[" * depth + within + "]" * depth + behind + "}"
    return Frame(9, 9, 9, Direction.FROM_SERVER, Channel.STDOUT, payload.encode())


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ('"jsonrpc":"2.0","id":1,', ""),
        ('"id" : 1.0, "jsonrpc":"2.0",', ""),
        ('"jsonrpc":"2.0","_meta":{"id":7,"a":["}"]},"id":1,', ""),
        ('"jsonrpc":"2.0",', ',"id":1'),
        ("", ' , "id" : 1 , "jsonrpc":"2.0" '),
        ('"jsonrpc":"2.0","x":"\\"id\\":7",', ',"id":1e0,"y":null'),
    ],
)
def test_a_response_that_is_nested_too_deeply_ends_its_request_at_once(before: str, behind: str) -> None:
    conversation = Conversation()
    conversation.observe(sent(1, "1"))
    garbled, told = conversation.observe(deep(before, behind))
    assert (type(garbled), type(told)) == (Garbled, Cut)
    (exchange,) = conversation.exchanges
    assert exchange.state is ExchangeState.LOST
    assert exchange.why == "its response can't be read: JSON nested too deeply to be read"


@pytest.mark.parametrize(
    "frame",
    [
        deep('"jsonrpc":"2.0",', within='{"id":1}'),
        deep('"jsonrpc":"2.0",', behind=',"id":2'),
        deep('"jsonrpc":"2.0",', behind=',"a":{"id":1}'),
        deep('"jsonrpc":"2.0","a":{"b":1,"id":1},'),
        deep('"jsonrpc":"2.0","id":1,"method":"ping","params":{},'),
        deep('"jsonrpc":"2.0",', behind=',"a":", \\"id\\":1"'),
        deep('"jsonrpc":"2.0",', behind=',"id":"1"'),
        Frame(9, 9, 9, Direction.FROM_SERVER, Channel.STDOUT, b'{"result":{"a":' + b"[" * 1_000_000 + b',"id":1}'),
        Frame(9, 9, 9, Direction.FROM_SERVER, Channel.STDOUT, b"[" * 1_000_000),
    ],
)
def test_an_id_inside_of_something_is_not_that_of_the_response(frame: Frame) -> None:
    conversation = Conversation()
    conversation.observe(sent(1, "1"))
    assert [type(each) for each in conversation.observe(frame)] == [Garbled]
    assert len(conversation.pairs.pending) == 1


def test_the_ends_of_a_long_response_are_looked_at_and_nothing_between() -> None:
    conversation = Conversation()
    conversation.observe(sent(1, "1"))
    far = deep('"jsonrpc":"2.0",', behind=',"id":1,"pad":"' + "x" * 200_000 + '"')
    assert len(conversation.observe(far)) == 1
    near = deep('"jsonrpc":"2.0","pad":"' + "x" * 30_000 + '",', behind=',"id":1', depth=3_000_000)
    assert len(conversation.observe(near)) == 2
