"""Plain notifications are taken in without events, and nothing else is."""

from inspector.protocol.plain import PlainFold
from tests.protocol.wire import C2S, S2C, Wire

MESSAGE = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}'


def word(progress: str) -> bytes:
    params = b'{"progressToken":1,"progress":%b,"total":2}' % progress.encode()
    return b'{"jsonrpc":"2.0","method":"notifications/progress","params":%b}' % params


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
    odd = [word("3"), word("-1"), word('"1"'), word("true"), word("1e999"), b"banner", b"[" + MESSAGE + b"]"]
    odd += [b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"result":{}}']
    odd += [b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']
    assert [fold.take(payload, 2, 7, S2C) for payload in odd] == [None] * len(odd)
    assert fold.take(word("1"), 2, 7, C2S) is None, "its token was given in the other direction"
    assert wire.conversation.exchanges[0].progress is None
