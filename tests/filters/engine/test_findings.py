"""Filters by the findings of checks."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
import pytest

from inspector.errors import FilterError
from inspector.filters.engine.findings import FilteredFinding
from inspector.filters.engine.program import Program
from inspector.filters.language.completion import describe
from inspector.filters.language.parser import parse
from tests.present.tape import Tape


class Told(msgspec.Struct, frozen=True):
    id: str
    severity: str


class Knows:
    """Of entry 1 a hint and an error, of entry 3 a warning."""

    known: ClassVar = {
        1: (Told("tool-description", "hint"), Told("structured-content-missing", "error")),
        3: (Told("structured-content-invalid", "warning"),),
    }

    def worst(self, first: int, last: int) -> bytes:
        return bytes({1: 3, 3: 2}.get(n, 0) for n in range(first, last + 1))

    def of(self, n: int) -> Sequence[FilteredFinding]:
        return self.known.get(n, ())


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("severity", [1, 3]),
        ("not severity", [2]),
        ("severity >= warning", [1, 3]),
        ("severity >= warn and not severity == error", [3]),
        ("severity == hint", [1]),
        ("severity < error", [1, 3]),
        ("severity in {error}", [1]),
        ("finding == structured-content-invalid", [3]),
        ('finding ~ "^structured-"', [1, 3]),
        ("severity:error", [1]),
        ("any.severity == error", [1, 2]),
    ],
)
def test_a_message_is_found_by_any_of_its_findings(tape: Tape, text: str, hits: list[int]) -> None:
    tape.call(1, "a")
    tape.answer(1, {"content": []})
    tape.notify("notifications/message", {"data": 1})
    term = parse(text)
    assert term is not None
    found = Program(term, tape.journal, clock=tape.clock, say=str, findings=Knows())
    assert [n for n in (1, 2, 3) if found.matches(n)] == hits
    assert found.follows_findings
    assert parse(describe(term)) == term


def test_severity_matches_nothing_without_findings(tape: Tape) -> None:
    tape.call(1, "a")
    term = parse("severity")
    assert term is not None
    assert not Program(term, tape.journal, clock=tape.clock, say=str).matches(1)


def test_wrong_severity_lists_the_right_ones() -> None:
    with pytest.raises(FilterError, match="one of hint, warning, error"):
        parse("severity > fatal")
    with pytest.raises(FilterError, match="does not apply"):
        parse("severity ~ err")
