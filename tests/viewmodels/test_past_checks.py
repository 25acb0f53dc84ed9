"""What checks could say at a moment: nothing that came to light later, and nothing of what is muted."""

from inspector.capture.load import load
from inspector.capture.past import Past
from inspector.config.mutes import Mute
from inspector.viewmodels.live_checks import LiveChecks
from inspector.viewmodels.past_checks import PastChecks
from tests.captures.record import sample
from tests.viewmodels.tape import Tape


def ids(checks: LiveChecks) -> list[str]:
    return [each.id for each in checks.all]


def test_at_any_entry_it_has_found_what_checks_of_those_entries_alone_find() -> None:
    journal = load(sample("lighthouse"))
    whole = LiveChecks(journal, over=lambda: True)
    whole.catch_up()
    for n in (1, 5, 6, 20, 33, journal.count):
        then = PastChecks(Past(journal).at(n), whole)
        alone = LiveChecks(Past(journal).at(n))
        alone.catch_up()
        assert sorted(ids(then)) == sorted(ids(alone)), n
        assert [then.mark(at) for at in range(n + 1)] == [alone.mark(at) for at in range(n + 1)]
        assert (then.faulty("tools"), then.counts) == (alone.faulty("tools"), alone.counts)
        assert then.is_done
        assert then.later == len(whole.all) - len(then.all)
    assert len(whole.all) > 5
    journal.close()


def test_what_only_the_end_told_is_not_known_before_it(tape: Tape) -> None:
    tape.started()
    tape.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me"}})
    tape.wait(5000).died()
    whole = LiveChecks(tape.journal)
    whole.catch_up()
    past = Past(tape.journal)
    moment = past.at(tape.journal.count - 1)
    then = PastChecks(moment, whole)
    assert "P-04" in ids(whole)
    assert "P-04" not in ids(then)
    assert then.later == len(whole.all) - len(then.all) > 0
    moment.advance(tape.journal.count)
    assert sorted(ids(then.now())) == sorted(ids(whole))
    assert then.later == 0


def test_it_goes_on_as_the_checks_of_the_whole_do_and_mutes_for_all(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = LiveChecks(tape.journal)
    then = PastChecks(Past(tape.journal).at(tape.journal.count), whole)
    assert (then.is_done, then.checked, ids(then)) == (False, 0, [])
    whole.catch_up()
    then.now()
    assert (then.is_done, ids(then), then.times("F-01")) == (True, ["F-01", "S01"], 1)
    then.mute([Mute("F-01")])
    assert (whole.counts, then.is_muted(then.all[0])) == (then.counts, True)
    then.pause(True)
    assert (whole.paused, then.paused) == (True, True)
    assert not then.step(1)
    assert then.unasked == 0
