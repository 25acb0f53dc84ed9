"""Which finding comes first, and what stands below it."""

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.verdict import EXPLAINS, Verdict, causes_of, primary_of, verdict, verdicts

_SEVERITIES = {"e": Severity.ERROR, "w": Severity.WARNING, "h": Severity.HINT}
_CONFIDENCES = {"c": Confidence.CERTAIN, "l": Confidence.LIKELY, "g": Confidence.GUESS}


def _found(word: str, frame: int = 1, connection: int = 1) -> Finding:
    """Of a word like P-04 e c: id, severity, confidence."""
    id_, severity, confidence = word.split()
    return Finding(id_, _SEVERITIES[severity], _CONFIDENCES[confidence], "said", (frame,), connection=connection)


def _ids(found: tuple[Finding, ...]) -> list[str]:
    return [each.id for each in found]


@pytest.mark.parametrize(
    ("found", "primary", "follows"),
    [
        (["P-04 e c", "S05 h c", "P-10 e l"], "P-10", ["P-04", "S05"]),
        (["P-11 w l", "P-10 e l", "P-04 e c"], "P-11", ["P-10", "P-04"]),
        (["F-01 e c", "P-04 e c"], "P-04", []),
        (["F-01 e c", "F-10 w l"], "F-10", ["F-01"]),
        (["L-04 e c", "P-09 e g"], "P-09", ["L-04"]),
        (["T06 w c", "K07 e c"], "K07", []),
        (["H-14 w g", "H-23 w c"], "H-23", []),
        (["H-13 w g", "H-22 w l"], "H-22", []),
        (["E04 e c", "S-02 e c"], "S-02", []),
        (["T17 w c", "L-10 w l"], "L-10", []),
        (["T17 w c", "H-14 w g"], "T17", []),
        (["L-15 h c"], "L-15", []),
        (["P-04 e c", "P-04 e c"], "P-04", []),
    ],
)
def test_causes_go_first_then_what_is_worst_then_what_is_certain(
    found: list[str], primary: str, follows: list[str]
) -> None:
    said = verdict([_found(word, frame) for frame, word in enumerate(found, 1)])
    assert said.primary is not None
    assert said.primary.id == primary
    assert _ids(said.follows) == follows
    assert len(said.others) == len(found) - len(follows) - 1


def test_each_connection_has_a_verdict_of_its_own_and_the_worst_of_all_is_the_first() -> None:
    found = [_found("T06 w c", 3), _found("P-04 e c", 9, connection=2), _found("L-04 e c", 5, connection=3)]
    assert [each.primary.id for each in verdicts(found) if each.primary] == ["T06", "P-04", "L-04"]
    assert (primary_of(found) or found[0]).id == "L-04"


def test_nothing_found_is_no_verdict() -> None:
    assert verdict([]) == Verdict()
    assert primary_of([]) is None


def test_no_two_findings_explain_each_other() -> None:
    everything = [_found(f"{id_} e c") for id_ in EXPLAINS]
    causes = causes_of(everything)
    for id_ in causes:
        seen = [id_]
        while seen[-1] in causes:
            seen.append(causes[seen[-1]])
            assert len(seen) <= len(EXPLAINS), seen
