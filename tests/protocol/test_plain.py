"""Plain notifications are taken in without events, and nothing else is."""

from inspector.capture.meaning import MessageKind
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.plain import ANSWER, NOTIFICATION, REQUEST, PlainFold
from tests.protocol.wire import C2S, S2C, Wire

MESSAGE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}'


def word(progress: str) -> str:
    params = f'{{"progressToken":1,"progress":{progress},"total":2}}'
    return f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}'


def call(params: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}'


def answer(result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"result":{result}}}'


def test_its_numbers_of_kinds_are_those_of_the_columns() -> None:
    assert (REQUEST, NOTIFICATION, ANSWER) == (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.ANSWER)


def test_a_call_and_its_result_are_an_exchange_and_an_operation() -> None:
    wire = Wire()
    wire.ask(1, "initialize", {"protocolVersion": "2025-11-25"})
    wire.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}})
    fold = PlainFold(wire.conversation)
    params = '{"name":"a","arguments":{"x":1},"_meta":{"progressToken":"t"}}'
    assert fold.take(call(params), 3, 7, C2S) == (REQUEST, "tools/call", 2)
    for odd in ('{"resultType":"input_required"}', '{"task":{}}', '{"isError":"yes"}', "5"):
        assert fold.take(answer(odd), 4, 9, S2C) is None, odd
    assert fold.take(answer('{"isError":true}'), 4, 9, S2C) == (ANSWER, "", 2)
    exchange = wire.conversation.exchanges[1]
    assert (exchange.target, exchange.state, exchange.tool_error) == ("a", ExchangeState.ANSWERED, True)
    assert (exchange.request_frame, exchange.answer_frame, exchange.duration_ns) == (3, 4, 2)
    assert (exchange.operation, exchange.progress_token, exchange.revision) == (2, "t", "2025-11-25")


def test_a_log_message_belongs_to_nothing() -> None:
    taken = PlainFold(Wire().conversation).take(MESSAGE, 1, 5, S2C)
    assert taken is not None
    assert (taken.method, taken.exchange) == ("notifications/message", 0)


def test_progress_is_kept_in_the_exchange_that_gave_the_token() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    taken = PlainFold(wire.conversation).take(word("1"), 2, 7, S2C)
    assert taken is not None
    assert taken.exchange == 1
    progress = wire.conversation.exchanges[0].progress
    assert progress is not None
    assert (progress.progress, progress.total, progress.frame, progress.time_ns) == (1, 2, 2, 7)


def test_what_is_unusual_is_left_to_the_fold_and_changes_nothing() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    fold = PlainFold(wire.conversation)
    odd = [word("3"), word("-1"), word('"1"'), word("true"), word("1e999"), "banner", "[" + MESSAGE + "]", "\ud800"]
    odd += ['{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}']
    odd += [call('{"name":""}'), call('{"name":"a","task":{}}'), call('{"name":"a","requestState":null}')]
    odd += [call('{"name":"a","_meta":null}'), call('{"name":"a","_meta":{"progressToken":true}}'), call("[]")]
    odd += [call('{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}')]
    odd += ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']
    assert [fold.take(payload, 2, 7, S2C) for payload in odd] == [None] * len(odd)
    assert fold.take(word("1"), 2, 7, C2S) is None, "its token was given in the other direction"
    assert wire.conversation.exchanges[0].progress is None
