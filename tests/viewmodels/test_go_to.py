"""Where somebody means who types it; `test_log_jumps` has more."""

import pytest

from inspector.errors import FilterError
from inspector.viewmodels.go_to import meant
from tests.viewmodels.tape import Tape


def test_numbers_and_seconds_lead_to_an_entry_of_those_there_are(tape: Tape) -> None:
    tape.request(1, "ping")
    tape.wait(100).answer(1, {})
    tape.wait(100).notify("x")
    assert [meant(tape.journal, wanted, 3) for wanted in ("#2", "99", "+0.1", "+150ms", "+9")] == [2, 3, 2, 3, 3]
    assert meant(tape.journal, "99", 2) == 2
    with pytest.raises(FilterError):
        meant(tape.journal, "never", 3)
