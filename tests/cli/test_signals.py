"""What a signal ends, what is done before, and what is left."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.cli.signals import leaving_no_child, leaving_nothing_half_made, leaving_politely
from inspector.whole import whole_file
from tests.architecture.sources import ROOT


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with leaving_no_child():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_to_be_done_at_last_is_done_before_the_signal_ends_us(tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from inspector.cli.signals import leaving_no_child\n"
        "with leaving_no_child(lambda: print('at last', flush=True)):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('never')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=30)
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, b"at last\n")


def test_who_leaves_politely_is_asked_to_and_dies_of_the_signal_after() -> None:
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
def test_what_is_half_made_is_gone_before_the_signal_ends_us(tmp_path: Path, number: signal.Signals) -> None:
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
