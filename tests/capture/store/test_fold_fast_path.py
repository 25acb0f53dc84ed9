"""Frames taken in by the thousand are what they would be one by one."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture.store import fold_fast_path as rows_module
from inspector.capture.store.columns import MessageKind
from inspector.capture.store.fold_fast_path import ANSWER, NOTIFICATION, REQUEST, FastFold, Rows
from inspector.capture.store.load import load
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Channel, Direction, Eol
from tests.architecture.sources import ROOT
from tests.capture.conversations import HAPPENINGS, known, tell
from tests.capture.recording import CAME, SENT, recorded
from tests.protocol.wire import C2S, S2C, Wire

CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}'
CAPTURES = sorted(((ROOT / "tests") / "captures").glob("*.mcpcap"))


def one_by_one(path: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "LONGEST", -1)
        journal = load(path)
    journal.close()
    return known(journal)


def in_rows(path: Path) -> Any:
    journal = load(path)
    journal.close()
    return known(journal)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=200)
@given(HAPPENINGS)
def test_any_conversation_is_known_alike_both_ways(tmp_path_factory: Any, happenings: list[Any]) -> None:
    path = tmp_path_factory.mktemp("rows") / "x.mcpcap"
    journal = recorded(path)
    tell(journal, happenings)
    journal.close()
    assert in_rows(path) == one_by_one(path)


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_every_capture_of_the_tests_is_known_alike_both_ways(path: Path) -> None:
    assert in_rows(path) == one_by_one(path)


def test_plain_traffic_is_taken_in_without_frames_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.mcpcap"
    journal = recorded(path)
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}'
    journal.frame(SENT, Channel.STDIN, call, eol=Eol.LF)
    for k in range(3):
        word = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}' % k
        journal.frame(CAME, Channel.STDOUT, word, eol=Eol.LF)
    journal.close()
    folded: list[Direction] = []
    fold = Rows._fold

    def counted(rows: Rows, record: Any, *rest: Any) -> int:
        folded.append(record.dir)
        return fold(rows, record, *rest)

    monkeypatch.setattr(Rows, "_fold", counted)
    again = load(path)
    again.close()
    assert folded == []
    progress = again.conversation.exchanges[0].progress
    assert progress is not None
    assert (progress.progress, progress.count, progress.frame) == (2, 3, 4)


def test_clocks_that_jump_are_taken_as_they_are_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    journal = recorded(path)
    tell(journal, [(SENT, Channel.STDIN, CALL % n, None, False) for n in range(4)])
    tell(journal, [(CAME, Channel.STDOUT, b'{"jsonrpc":"2.0","id":%d,"result":{}}' % n, None, False) for n in range(4)])
    journal.close()
    jumps = iter([0, -(2**63 - 1), 2**63 - 1, 5, 4, 3, -1, 2**62])
    path.write_bytes(re.sub(rb'"tm":\d+,"tw":\d+,"len"', lambda _: b'"tm":%d,"len"' % next(jumps), path.read_bytes()))
    assert in_rows(path) == one_by_one(path)
    assert next(jumps, None) is None


MESSAGE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}'


def word(progress: str) -> str:
    params = f'{{"progressToken":1,"progress":{progress},"total":2}}'
    return f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}'


def call(params: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}'


def answer(result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":7,"result":{result}}}'


def test_fast_fold_kinds_equal_message_kinds() -> None:
    assert (REQUEST, NOTIFICATION, ANSWER) == (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.RESPONSE)


def test_a_call_and_its_result_are_an_exchange_and_an_operation() -> None:
    wire = Wire()
    wire.ask(1, "initialize", {"protocolVersion": "2025-11-25"})
    wire.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}})
    fold = FastFold(wire.conversation)
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
    taken = FastFold(Wire().conversation).take(MESSAGE, 1, 5, S2C)
    assert taken is not None
    assert (taken.method, taken.exchange) == ("notifications/message", 0)


def test_progress_is_kept_in_the_exchange_that_gave_the_token() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    taken = FastFold(wire.conversation).take(word("1"), 2, 7, S2C)
    assert taken is not None
    assert taken.exchange == 1
    progress = wire.conversation.exchanges[0].progress
    assert progress is not None
    assert (progress.progress, progress.total, progress.frame, progress.time_ns) == (1, 2, 2, 7)


def test_fast_fold_leaves_unusual_frames_to_the_conversation() -> None:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    fold = FastFold(wire.conversation)
    odd = [word("3"), word("-1"), word('"1"'), word("true"), word("1e999"), "banner", "[" + MESSAGE + "]", "\ud800"]
    odd += ['{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}']
    odd += [call('{"name":""}'), call('{"name":"a","task":{}}'), call('{"name":"a","requestState":null}')]
    odd += [call('{"name":"a","_meta":null}'), call('{"name":"a","_meta":{"progressToken":true}}'), call("[]")]
    odd += [call('{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}')]
    odd += ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']
    assert [fold.take(payload, 2, 7, S2C) for payload in odd] == [None] * len(odd)
    assert fold.take(word("1"), 2, 7, C2S) is None, "its token was given in the other direction"
    assert wire.conversation.exchanges[0].progress is None
