"""What a model made of a request, in words."""

from inspector.viewmodels.proposed import Account, account_section, left_out, told

SALT = Account("tide at here", 1_500_000_000, 1200, 3, ["a block of type smell"])


def test_it_says_who_answered_how_long_it_took_and_what_it_cost() -> None:
    assert told(SALT) == "tide at here in 1.50 s (1,200 tokens in, 3 out)"
    assert told(Account("tide at here", 2_000_000)) == "tide at here in 2.0 ms"


def test_what_the_model_did_not_see_is_a_warning() -> None:
    assert left_out(SALT) == "a block of type smell"
    facts = {each.key: each.role for each in account_section(SALT).facts}
    assert facts["did not see"] == "warning"
    assert "did not see" not in {each.key for each in account_section(Account("m", 1)).facts}


def test_a_failure_has_its_evidence_and_its_cure_and_nothing_raw() -> None:
    section = account_section(Account("m", 5_000_000, why="HTTP 500: \x1b[2Joh no", hint="Look there."))
    assert section.title == "The model gave no answer"
    shown = "".join(part for line in section.lines for part, _ in line)
    assert "oh no" in shown
    assert shown.endswith("Look there.")
    assert "\x1b" not in shown
