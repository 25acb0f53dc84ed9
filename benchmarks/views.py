"""A picture of the traffic list and of the waterfall, at ten thousand entries and at a million.

What is measured is the processor's time for all rows visible, laid out again: what scrolling or jumping anywhere costs
before anything is painted.
"""

import time
from collections.abc import Callable
from statistics import median

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.filters.language.parser import parse
from inspector.present.traffic.log import LogModel
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.tui.screens.traffic.waterfall_model import LaneConversation, Waterfall

FEW, MANY = 10_000, 1_000_000
_LINES, _WIDTH = 45, 157
_CALL_EVERY = 250
"""Log messages between two calls."""
_PLACES = 40


class Frames(msgspec.Struct, frozen=True):
    """Milliseconds of CPU for one picture, the median and the worst of some at many places."""

    median_ms: float
    worst_ms: float


def conversation(entries: int) -> Journal:
    """A journal of about so many entries: log messages, and among them calls with progress and answers."""
    journal = start_capture(None)
    log = [
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d"}}' % n
        for n in range(_CALL_EVERY)
    ]
    burst = [(line, Eol.LF) for line in log]
    id_ = 0
    while journal.count < entries:
        id_ += 1
        call = {"name": "search", "arguments": {"q": "herring"}, "_meta": {"progressToken": id_}}
        _say(journal, Direction.TO_SERVER, {"id": id_, "method": "tools/call", "params": call})
        step = {"progressToken": id_, "progress": 1, "total": 2}
        _say(journal, Direction.FROM_SERVER, {"method": "notifications/progress", "params": step})
        _say(journal, Direction.FROM_SERVER, {"id": id_, "result": {"content": []}})
        journal.burst(Direction.FROM_SERVER, Channel.STDOUT, burst)
    return journal


def _say(journal: Journal, direction: Direction, message: dict[str, object]) -> None:
    channel = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
    journal.frame(direction, channel, msgspec.json.encode({"jsonrpc": "2.0"} | message), eol=Eol.LF)


def _frames(count: int, draw: Callable[[range], None]) -> Frames:
    took: list[float] = []
    for place in range(_PLACES):
        top = (count - _LINES) * place // _PLACES
        began = time.process_time()
        draw(range(max(0, top), min(top + _LINES, count)))
        took.append((time.process_time() - began) * 1000)
    return Frames(median(took), max(took))


def list_frames(journal: Journal, *, tree: bool) -> Frames:
    """Pictures of the list."""
    model = LogModel(journal, time.monotonic_ns, tree=tree)
    while model.refresh():
        pass

    def draw(rows: range) -> None:
        model.sees(rows, _WIDTH)
        for index in rows:
            model.row(index, _WIDTH)

    return _frames(model.count, draw)


class Change(msgspec.Struct, frozen=True):
    """A change of the view under a filter that lets nearly everything through."""

    rows: int
    held_ms: float
    """The longest piece of it: for so long no key is answered."""
    all_ms: float


def change_of_view(journal: Journal) -> Change:
    """From the order of the wire to the tree, of all log messages."""
    model = LogModel(journal, time.monotonic_ns, tree=False)
    while model.refresh():
        pass
    model.set_filter(parse("kind == notification"))
    while model.filter_step():
        pass
    began = before = time.process_time()
    model.show(tree=True, around=journal.count // 2)
    more, held = True, 0.0
    while more:
        now = time.process_time()
        held, before = max(held, now - before), now
        more = model.lay()
    return Change(model.count, held * 1000, (time.process_time() - began) * 1000)


def lane_frames(journal: Journal) -> Frames:
    """Pictures of the waterfall."""
    lanes = Waterfall(LaneConversation(journal, time.monotonic_ns))

    def draw(rows: range) -> None:
        lanes.sees(rows, _WIDTH)
        lanes.header(_WIDTH)
        for index in rows:
            lanes.row(index, _WIDTH)

    return _frames(lanes.count, draw)
