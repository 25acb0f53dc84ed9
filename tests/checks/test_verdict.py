"""The order of findings: the verdict, and the findings that follow from it."""

import msgspec
import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.verdict import EXPLAINS, Verdict, causes_of, merged, primary_of, verdict, verdicts

_SEVERITIES = {"e": Severity.ERROR, "w": Severity.WARNING, "h": Severity.HINT}
_CONFIDENCES = {"c": Confidence.CERTAIN, "l": Confidence.LIKELY, "g": Confidence.GUESS}


def _found(word: str, frame: int = 1, connection: int = 1) -> Finding:
    """Of a word like exit-during-handshake e c: id, severity, confidence."""
    id_, severity, confidence = word.split()
    return Finding(id_, _SEVERITIES[severity], _CONFIDENCES[confidence], "said", (frame,), connection=connection)


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
    assert [each.id for each in said.follows] == follows
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


def _seen(n: int, sentence: str, pointer: str = "/error", id_: str = "call-rejected") -> Finding:
    return Finding(id_, Severity.WARNING, Confidence.CERTAIN, sentence, (n,), pointer)


def test_merged_same_fault_in_several_messages_is_one_finding_with_all_frames() -> None:
    found = merged(
        [_seen(3, "ping is rejected with -1"), _seen(5, "tools/list is rejected with -2"), _seen(5, "other")]
    )
    assert [(each.count, each.frames) for each in found] == [(2, (3, 5)), (1, (5,))]


def test_merged_findings_that_quote_different_texts_are_one_with_the_count() -> None:
    (found,) = merged([_seen(3, "may have failed: “no such “x” here”"), _seen(5, "may have failed: “denied”")])
    assert (found.count, found.sentence) == (2, "may have failed: “no such “x” here”")


def test_a_failure_in_the_text_and_one_in_structured_content_are_one_habit() -> None:
    places = {"the text is JSON": "/result/content/0/text", "structuredContent is": "/result/structuredContent"}
    found = [_seen(n, f"{what} “x”", place, "tool-failure-unmarked") for n, (what, place) in enumerate(places.items())]
    assert [each.count for each in merged(found)] == [2]


def test_merged_definitions_of_one_list_stay_apart_and_those_of_a_repeated_list_do_not() -> None:
    first, second = "/result/tools/0", "/result/tools/1"
    anew = msgspec.structs.replace(_seen(9, "'a' is bad", first), connection=2)
    found = merged([_seen(3, "'a' is bad", first), _seen(3, "'b' is bad", second), anew])
    assert [(each.sentence, each.count) for each in found] == [("'a' is bad", 2), ("'b' is bad", 1)]


def test_finding_about_a_request_of_the_user_comes_before_one_about_a_probe() -> None:
    probed = msgspec.structs.replace(_seen(3, "of a probe", id_="unknown-method-error-code"), provoked=True)
    assert verdict([probed, _seen(9, "of the user")]).primary == _seen(9, "of the user")
    assert verdict([probed]).primary == probed
