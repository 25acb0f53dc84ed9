"""Operations told while a capture is read are those that are told of it afterwards."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture import rows as rows_module
from inspector.capture.compare.operations import Accounts, accounts
from inspector.capture.compare.reading import read_accounts
from inspector.capture.load import load
from inspector.errors import CaptureError
from inspector.protocol.jsonrpc import Part
from tests.capture.conversations import HAPPENINGS, tell
from tests.capture.recording import recorded
from tests.captures.record import sample

_NAMES = ("evening", "handshake", "harbour", "lighthouse", "shipyard", "stateless", "torn", "wreck")


def _seen(value: Any) -> Any:
    """All of it as plain values, parts as what they hold."""
    if isinstance(value, Part):
        return value.raw
    if isinstance(value, list | tuple):
        return [_seen(each) for each in value]
    fields = getattr(value, "__struct_fields__", ())
    return {name: _seen(getattr(value, name)) for name in fields} if fields else value


def _one_by_one(path: Path) -> Accounts:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "LONGEST", -1)
        return read_accounts(path).accounts


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(HAPPENINGS)
def test_plain_messages_come_to_what_all_others_do(tmp_path_factory: Any, happenings: list[Any]) -> None:
    path = tmp_path_factory.mktemp("reading") / "x.mcpcap"
    journal = recorded(path)
    tell(journal, happenings)
    journal.close()
    assert _seen(read_accounts(path).accounts) == _seen(_one_by_one(path))


@pytest.mark.parametrize("name", _NAMES)
def test_a_capture_comes_to_the_same_while_it_is_read_and_afterwards(name: str) -> None:
    journal = load(sample(name))
    told, notices = _seen(accounts(journal)), journal.notices
    journal.close()
    read = read_accounts(sample(name))
    assert _seen(read.accounts) == told
    assert read.notices == notices


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(CaptureError):
        read_accounts(tmp_path / "a.txt")
