"""Why no answer came, in words."""

from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Silent
from inspector.replay.silence import why_silent


def test_each_way_to_get_no_answer_has_its_words() -> None:
    assert why_silent(Silent(None, 2.5, "idle")) == "no answer came within 2.5 s"
    assert why_silent(Broken(None, "it exited with 7")) == "the connection ended: it exited with 7"
    assert why_silent(GivenUp(None, "")) == "it was given up"
    assert why_silent(GivenUp(None, "by hand")) == "it was given up: by hand"
    assert why_silent(Refused(None, 404, "", b"")) == "it was refused with HTTP 404"
