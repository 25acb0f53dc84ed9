"""What a session is recorded into, what is remembered, and what a signal ends."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.launch import kept_journal, leaving_no_child, leaving_politely, named_journal, numbered, settings_for
from inspector.cli.options import Chosen
from inspector.cli.world import World
from inspector.config.environment import Environment
from inspector.config.paths import places
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import newest_of
from inspector.session.waiting import Clocks
from tests.architecture.sources import ROOT

_TARGET = StdioTarget(("node", "gulls.js"), Environment({}, {}), "/")


def _chosen(capture: Path | None = None, *, record: bool = True, era: Era | None = None) -> Chosen:
    return Chosen(_TARGET, era, "", Clocks(), capture, record)


def test_a_session_is_kept_on_a_private_shelf_under_a_name_of_its_own() -> None:
    first, second = kept_journal(_chosen(), World()), kept_journal(_chosen(), World())
    for journal in (first, second):
        path = journal.capture_path
        assert path is not None
        assert (path.parent, path.suffix) == (places().captures, ".mcpcap")
        assert "gulls" in path.name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert journal.recording
        journal.close()
    assert first.capture_path != second.capture_path
    assert stat.S_IMODE(places().captures.stat().st_mode) == 0o700


def test_a_shelf_that_cannot_be_written_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    journal = kept_journal(_chosen(), World(env={"MCP_INSPECT_HOME": str(tmp_path / "file")}))
    assert not journal.recording
    assert "This session is not recorded" in journal.notices[0]
    journal.close()


def test_nothing_is_kept_where_nothing_shall_be() -> None:
    for journal in (kept_journal(_chosen(record=False), World()), named_journal(_chosen())):
        assert journal.capture_path is None
        journal.close()
    assert not places().captures.exists()


def test_a_named_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "a.mcpcap"
    kept_journal(_chosen(path), World()).close()
    with pytest.raises(UsageError, match="is there already"):
        kept_journal(_chosen(path), World())
    assert numbered(path) == tmp_path / "a-2.mcpcap"
    assert numbered(tmp_path / "b.mcpcap") == tmp_path / "b.mcpcap"


def test_an_era_is_remembered_if_nobody_dictated_it() -> None:
    opening = Opening(newest_of(Era.LEGACY))
    settings_for(_chosen(era=Era.LEGACY), World()).remember(opening)
    assert settings_for(_chosen(), World()).remembered is None
    settings_for(_chosen(), World()).remember(opening)
    assert settings_for(_chosen(), World()).remembered is Era.LEGACY


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with leaving_no_child():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_to_be_done_at_last_is_done_before_the_signal_ends_us(tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from inspector.cli.launch import leaving_no_child\n"
        "with leaving_no_child(lambda: print('at last', flush=True)):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('never')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=30)
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, b"at last\n")


def test_who_leaves_politely_is_asked_to_and_dies_of_the_signal_after() -> None:
    import threading

    asked, came = threading.Event(), []
    before = signal.signal(signal.SIGHUP, lambda number, frame: came.append(number))
    try:
        with leaving_politely(asked.set):
            os.kill(os.getpid(), signal.SIGHUP)
            assert asked.wait(10)
            assert came == []
        assert came == [signal.SIGHUP]
        assert signal.alarm(0) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
