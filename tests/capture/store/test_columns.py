"""The columns of several entries, as copies, say what the store says of each."""

import pytest

from inspector.capture.format.file import LOST
from inspector.capture.format.records import Entry
from inspector.capture.store.columns import NOTHING, EntryKind, Meaning, MessageKind, meaning_of
from inspector.capture.store.store import Store
from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Outdated
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Frame
from tests.capture.recording import life, recorded


def test_a_part_of_the_columns_is_what_the_entries_are() -> None:
    journal = recorded()
    life(journal)
    store, last = journal.store, journal.count - 1
    columns, numbers = store.columns(2, last), range(2, last + 1)
    assert [EntryKind(kind or 1) for kind in columns.kinds] == [store.kind(n) for n in numbers]
    assert list(columns.times) == [store.time_ns(n) for n in numbers]
    assert list(columns.walls) == [store.wall_ns(n) for n in numbers]
    assert list(columns.sizes) == [store.size(n) for n in numbers]
    assert list(columns.exchanges) == [store.exchange(n) for n in numbers]
    assert list(zip(columns.places, columns.lengths, strict=True)) == [store.line(n) for n in numbers]
    assert list(columns.offsets) == [store.place(n) - store.place(2) for n in numbers]


def test_entry_without_a_line_is_missing_among_others() -> None:
    class Nothing:
        def read(self, place: int, length: int) -> bytes:
            return b""

        def close(self) -> None:
            pass

    store = Store(Nothing())
    for n, place in enumerate((5, LOST, 90), 1):
        store.add(Entry(n, n, n, Stderr(b"x")), NOTHING, place, 10)
    assert list(store.columns(1, 3).places) == [5, LOST, 90]
    assert [store.place(n) for n in (1, 2, 3)] == [5, LOST, 90]


SENT, CAME = Direction.TO_SERVER, Direction.FROM_SERVER
CALL = (SENT, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}')


def last_of(*traffic: tuple[Direction, bytes]) -> Meaning:
    """The meaning of the last frame."""
    conversation = Conversation()
    found = NOTHING
    for n, (direction, payload) in enumerate(traffic, 1):
        found = meaning_of(conversation.observe(Frame(n, n, n, direction, Channel.MEMORY, payload)))
    return found


@pytest.mark.parametrize(
    ("direction", "payload", "meaning"),
    [
        (CAME, b'{"jsonrpc":"2.0","id":1,"result":{}}', Meaning(MessageKind.RESPONSE, "", 1)),
        (CAME, b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}', Meaning(MessageKind.ERROR, "", 1)),
        (CAME, b'{"jsonrpc":"2.0","id":9,"result":{}}', Meaning(MessageKind.RESPONSE)),
        (CAME, b'{"jsonrpc":"2.0","id":9,"error":{}}', Meaning(MessageKind.ERROR)),
        (CAME, b"banner", Meaning(MessageKind.INVALID)),
        (
            CAME,
            b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}',
            Meaning(MessageKind.NOTIFICATION, "notifications/progress", 1),
        ),
        (
            SENT,
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
            Meaning(MessageKind.NOTIFICATION, "notifications/cancelled", 1),
        ),
        (
            CAME,
            b'{"jsonrpc":"2.0","method":"notifications/message"}',
            Meaning(MessageKind.NOTIFICATION, "notifications/message"),
        ),
        (
            CAME,
            b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
            Meaning(MessageKind.NOTIFICATION, "notifications/tools/list_changed"),
        ),
        (CAME, b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}', Meaning(MessageKind.REQUEST, "roots/list", 2)),
        (
            CAME,
            b'[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"a/b"}]',
            Meaning(MessageKind.BATCH, "", 1),
        ),
    ],
)
def test_a_frame_after_a_call(direction: Direction, payload: bytes, meaning: Meaning) -> None:
    assert last_of(CALL, (direction, payload)) == meaning


def test_a_late_answer_belongs_to_its_exchange() -> None:
    answer = (CAME, b'{"jsonrpc":"2.0","id":1,"result":{}}')
    assert last_of(CALL, answer, answer) == Meaning(MessageKind.RESPONSE, "", 1)


def test_an_answer_that_teaches_something_is_still_one_message() -> None:
    ask = (SENT, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    assert last_of(ask, (CAME, b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}')).kind is MessageKind.RESPONSE


def test_events_without_a_message_mean_nothing() -> None:
    assert meaning_of([]) == NOTHING
    assert meaning_of([Outdated("tools")]) == NOTHING


def test_response_to_a_probe_is_a_probe() -> None:
    conversation = Conversation()
    for n, (direction, payload) in enumerate((CALL, (CAME, b'{"jsonrpc":"2.0","id":1,"result":{}}')), 1):
        cause = Cause.PROBE if direction is SENT else Cause.UNKNOWN
        found = meaning_of(conversation.observe(Frame(n, n, n, direction, Channel.STDIN, payload, cause=cause)))
    assert found == Meaning(MessageKind.RESPONSE, "", 1, probe=True)
