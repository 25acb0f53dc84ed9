"""How many findings there are, and how far the checks have come."""

from inspector.capture.past import Past
from inspector.checks.findings import Severity
from inspector.config.mutes import Mute
from inspector.viewmodels.finding_rows import Group
from inspector.viewmodels.finding_words import about_check, checked, counted
from inspector.viewmodels.lines import plain
from inspector.viewmodels.live_checks import LiveChecks
from inspector.viewmodels.past_checks import PastChecks
from tests.viewmodels.tape import Tape
from tests.viewmodels.test_found import finding


def test_each_severity_is_counted_and_the_muted_apart(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    checks.add([finding("A", 1), finding("B", 1, Severity.WARNING), finding("B", 2, Severity.WARNING)])
    checks.mute([Mute("A")])
    left, right = counted(checks)
    assert plain(left) == "Findings  ▲ 2 warnings"
    assert plain(right) == "1 muted, M shows them"
    assert plain(counted(checks, shows_muted=True)[1]) == "1 muted, shown"
    assert plain(counted(None)[0]) == "Findings"


def test_what_was_found_after_a_moment_is_counted_apart(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = LiveChecks(tape.journal)
    whole.catch_up()
    said = plain(counted(PastChecks(Past(tape.journal).at(1), whole))[1])
    assert said == "2 more after this moment, $ shows all"


def test_how_far_they_are_is_said_at_each_stage(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    tape.started()
    assert plain(checked(None, 2)[0]) == "The checks have not begun yet."
    assert plain(checked(checks, 2)[0]) == "⋯ checked 0 of 2"
    checks.paused = True
    assert plain(checked(checks, 2)[0]) == "paused: checked 0 of 2, p goes on"
    checks.paused = False
    checks.catch_up()
    assert plain(checked(checks, 2)[0]) == "✓ all 2 entries checked"
    assert plain(checked(checks, 2, failed=True)[0]).startswith("✗ an error of this program")
    checks.passed_over = 3
    assert plain(checked(checks, 2)[1]).startswith("3 long messages not read here")


def test_a_heading_tells_what_its_check_looks_for() -> None:
    found = finding("T15", 7, Severity.HINT)
    section = about_check(Group(Severity.HINT, "T15", (found,)))
    facts = {fact.key: fact.value for fact in section.facts}
    assert section.title == "T15  a tool without a description"
    assert facts["found"] == "1 time"
    assert facts["applies to"].count("to") == 1
    assert about_check(Group(Severity.HINT, "", (found,))).title == "· 1 of severity hint"
