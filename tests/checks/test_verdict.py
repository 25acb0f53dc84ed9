"""The order of findings: the verdict, and the findings that follow from it."""

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.verdict import EXPLAINS, Verdict, causes_of, primary_of, verdict, verdicts

_SEVERITIES = {"e": Severity.ERROR, "w": Severity.WARNING, "h": Severity.HINT}
_CONFIDENCES = {"c": Confidence.CERTAIN, "l": Confidence.LIKELY, "g": Confidence.GUESS}


def _found(word: str, frame: int = 1, connection: int = 1) -> Finding:
    """Of a word like exit-during-handshake e c: id, severity, confidence."""
    id_, severity, confidence = word.split()
    return Finding(id_, _SEVERITIES[severity], _CONFIDENCES[confidence], "said", (frame,), connection=connection)


def _ids(found: tuple[Finding, ...]) -> list[str]:
    return [each.id for each in found]


@pytest.mark.parametrize(
    ("found", "primary", "follows"),
    [
        (
            ["exit-during-handshake e c", "unexpected-exit h c", "environment-variable-missing e l"],
            "environment-variable-missing",
            ["exit-during-handshake", "unexpected-exit"],
        ),
        (
            ["placeholder-not-expanded w l", "environment-variable-missing e l", "exit-during-handshake e c"],
            "placeholder-not-expanded",
            ["environment-variable-missing", "exit-during-handshake"],
        ),
        (["stdout-not-json e c", "exit-during-handshake e c"], "exit-during-handshake", []),
        (["stdout-not-json e c", "shell-profile-output w l"], "shell-profile-output", ["stdout-not-json"]),
        (["server-silent e c", "stdin-not-read e g"], "stdin-not-read", ["server-silent"]),
        (["tool-name-not-portable w c", "structured-content-invalid e c"], "structured-content-invalid", []),
        (["stream-idle-timeout w g", "rate-limited w c"], "rate-limited", []),
        (["stream-buffered w g", "cors-missing w l"], "cors-missing", []),
        (["result-not-object e c", "schema-root-combinator e c"], "schema-root-combinator", []),
        (["argument-description w c", "unknown-method-unanswered w l"], "unknown-method-unanswered", []),
        (["argument-description w c", "stream-idle-timeout w g"], "argument-description", []),
        (["unrequested-progress h c"], "unrequested-progress", []),
        (["exit-during-handshake e c", "exit-during-handshake e c"], "exit-during-handshake", []),
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
    found = [
        _found("tool-name-not-portable w c", 3),
        _found("exit-during-handshake e c", 9, connection=2),
        _found("server-silent e c", 5, connection=3),
    ]
    assert [each.primary.id for each in verdicts(found) if each.primary] == [
        "tool-name-not-portable",
        "exit-during-handshake",
        "server-silent",
    ]
    assert (primary_of(found) or found[0]).id == "server-silent"


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
