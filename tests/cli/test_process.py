"""The log on stderr: visible, held back while an interface has the terminal, gone afterwards."""

import io
import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.atomic_write import whole_file
from inspector.cli.env import CliEnv
from inspector.cli.process import held_log, leaving_no_child, leaving_nothing_half_made, leaving_politely, narrated_log
from tests.architecture.sources import ROOT
from tests.waiting import PATIENCE_S

logger = logging.getLogger("inspector.somewhere")


def test_warnings_are_shown_without_what_acts_and_lesser_things_are_not() -> None:
    stderr = io.StringIO()
    with narrated_log(CliEnv(stderr=stderr)):
        logger.warning("it said %s", "\x1b[2J")
        logger.info("by the way")
    logger.warning("after")
    assert stderr.getvalue() == "! it said ␛[2J\n"


def test_while_held_nothing_is_shown_and_then_all() -> None:
    stderr = io.StringIO()
    with narrated_log(CliEnv(stderr=stderr)):
        with held_log():
            logger.error("one")
            assert stderr.getvalue() == ""
        logger.error("two")
    assert stderr.getvalue().splitlines() == ["ERROR inspector.somewhere: one", "ERROR inspector.somewhere: two"]


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with leaving_no_child():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_cleanup_runs_before_the_signal_ends_the_process(tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from inspector.cli.process import leaving_no_child\n"
        "with leaving_no_child(lambda: print('at last', flush=True)):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('never')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, b"at last\n")


def test_polite_leave_precedes_the_signal() -> None:
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_unfinished_file_is_removed_before_the_signal(tmp_path: Path, number: signal.Signals) -> None:
    came: list[int] = []
    before = signal.signal(number, lambda number, frame: came.append([*tmp_path.glob(".half*")] == []))
    try:
        with pytest.raises(KeyboardInterrupt), leaving_nothing_half_made(), whole_file(tmp_path / "half"):
            os.kill(os.getpid(), number)
        assert came == [True], "it was sent on once, when nothing was left"
        assert not (tmp_path / "half").exists()
    finally:
        signal.signal(number, before)


def test_ctrl_c_stays_what_it_is() -> None:
    with pytest.raises(KeyboardInterrupt), leaving_nothing_half_made():
        signal.raise_signal(signal.SIGINT)
