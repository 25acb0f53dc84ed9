"""What the app is handed for another conversation."""

import subprocess
import sys
from pathlib import Path

from inspector.tui.opening import Opened
from tests.architecture.sources import ROOT


def test_a_capture_has_nothing_to_begin_and_nothing_to_end() -> None:
    opened = Opened("a", capture=Path("a.mcpcap"))
    assert (opened.begin, opened.first, opened.close) == (None, None, None)


def test_it_brings_no_interface_with_it() -> None:
    code = "import sys, inspector.tui.opening; assert not {'textual', 'rich'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)
