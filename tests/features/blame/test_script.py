"""Reading what a client sent, and what its server inherited, from a capture."""

import subprocess
import sys
from pathlib import Path

from inspector.capture.format.records import EditRecord
from inspector.capture.store.load import load
from inspector.features.blame.report import changed_on_the_way
from inspector.features.blame.script import outcome_of, script_of
from inspector.protocol.frames import Eol
from tests.features.blame.playing import PLANTED, works
from tests.present.tape import Tape

RUN = (
    "import runpy, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); "
    "sys.argv = sys.argv[1:]; runpy.run_module('inspector.features.tap', run_name='__main__')"
)


def test_script_of_a_tapped_client_has_what_the_server_inherited(tmp_path: Path) -> None:
    capture = tmp_path / "tap.mcpcap"
    server = (sys.executable, "-S", str(PLANTED), "umask")
    lines = b"".join(each.payload + b"\n" for each in works().steps[:-1]) + works().steps[-1].payload
    tap = (sys.executable, "-c", RUN, "mcp-tap", "--capture", str(capture), "--", *server)
    subprocess.run(tap, input=lines, check=True, umask=0o077, capture_output=True, timeout=60)
    journal = load(capture)
    script = script_of(journal)
    assert script.inherited is not None
    assert script.inherited.umask == 0o077
    assert 10 in script.inherited.blocked
    assert [each.eol for each in script.steps] == [Eol.LF, Eol.LF, Eol.NONE]
    assert outcome_of(journal)["tools/list"] == "error -32000"
    assert script.argv[1:] == server[1:]


def test_edit_of_a_tap_in_the_failing_session_is_named(tape: Tape) -> None:
    tape.request(1, "tools/call", {"name": "walk"})
    tape.journal.edited(EditRecord(of=1, act="answer", by="rule:refuses"))
    (change,) = changed_on_the_way(tape.journal)
    assert change.startswith("the rule refuses of the tap changed tools/call on its way (answer, entry 1)")
