"""What is told of a sending: what was carried, what was not sent and why, and what differs."""

import io

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import Normal
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.resending import tell
from inspector.cli.world import World
from inspector.replay.resend.performing import Resent
from inspector.replay.resend.plan import Skip, plan
from inspector.replay.resend.provenance import Carried
from tests.capture.compare.talk import calls, says, told

_TALK = told(calls(1, "add\x1b", a=1), says(1, "1"))


def _told(comparison: Comparison, sent: int = 1) -> tuple[ExitStatus, str, str]:
    out, err = io.StringIO(), io.StringIO()
    output = Output(World(None, {}, io.StringIO(), out, err))
    step = plan(_TALK).steps[0]
    skip = Skip(_TALK.operations[0], "it may destroy something")
    resent = Resent(comparison, sent, (skip,), ((step, Carried("arguments.a", "x\x1b", "y", 3)),), ("A note.",))
    return tell(output, resent, "old.mcpcap"), out.getvalue(), err.getvalue()


def test_everything_is_said_and_nothing_of_it_acts() -> None:
    other = told(calls(1, "add\x1b", a=1), says(1, "2"))
    status, out, err = _told(compare(_TALK, other, Normal()))
    assert status is ExitStatus.FINDINGS
    assert out.startswith("0 the same, 1 different.")
    assert '"x\\u001b" is now "y" (from the answer to #3)' in err
    assert "--allow-destructive sends it" in err
    assert "! A note." in err
    assert "\x1b" not in out + err


def test_an_empty_comparison_is_no_success_if_nothing_was_sent() -> None:
    assert _told(Comparison(()), 0)[0] is ExitStatus.FINDINGS
    assert _told(compare(_TALK, _TALK, Normal()))[0] is ExitStatus.OK
