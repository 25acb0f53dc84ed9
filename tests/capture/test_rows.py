"""Frames taken in by the thousand are what they would be one by one."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture import rows as rows_module
from inspector.capture.load import load
from inspector.capture.rows import Rows
from inspector.protocol.frames import Channel, Direction, Eol
from tests.capture.conversations import HAPPENINGS, known, tell
from tests.capture.recording import CAME, SENT, recorded

CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}'
CAPTURES = sorted((Path(__file__).parent.parent / "captures").glob("*.mcpcap"))


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
