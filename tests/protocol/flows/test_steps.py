"""What the steps of a flow say when nothing is said."""

from inspector.protocol.flows.steps import Notify, Send


def test_a_request_is_no_probe_and_waits_by_the_sessions_clocks_unless_it_says_so() -> None:
    send = Send("tools/list")
    assert (send.probe, send.silence_s, send.revision, send.progress) == (False, None, None, False)
    assert Notify("n") == Notify("n", None)
