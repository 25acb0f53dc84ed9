"""Findings that are known again."""

import json
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
from msgspec.structs import replace

from inspector.checks.catalog import all_checks
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.cli.reports import Baseline, check_as_json, finding_as_json, junit, key_of, read_baseline, sarif, written
from inspector.errors import UsageError


def _found(sentence: str, id_: str = "exit-during-handshake", pointer: str = "", frame: int = 1) -> Finding:
    return Finding(id_, Severity.ERROR, Confidence.CERTAIN, sentence, (frame,), pointer)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (_found("it exited after 0.1 s"), _found("it exited after 12.3 s", frame=9), True),
        (_found("a", pointer="/result/tools/3/name"), _found("a", pointer="/result/tools/4/name"), True),
        (_found("session 0a1b2c3d-11aa is gone"), _found("session ffffffff-22bb is gone"), True),
        (_found("a"), _found("a", "exit-without-input"), False),
        (_found("the module yaml is missing"), _found("the module json is missing"), False),
    ],
)
def test_a_finding_is_known_by_its_words_without_their_numbers(one: Finding, other: Finding, *, same: bool) -> None:
    assert (key_of(one) == key_of(other)) is same


def test_baseline_reads_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    found = [_found("b \ud800"), _found("a 1"), _found("a 2")]
    path.write_bytes(written(found, "server"))
    before = read_baseline(path)
    assert len(json.loads(path.read_text())["findings"]) == 2
    assert before.new(found[1:]) == []
    assert before.new([_found("c")]) == [_found("c")]
    assert before.gone([found[1]]) == 1
    assert not Baseline().knows(found[0])


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "x"}', '{"format": "mcp-inspect baseline", "findings": [1]}']
)
def test_invalid_baseline_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="not a baseline"):
        read_baseline(path)


def test_one_that_a_newer_program_wrote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text('{"format": "mcp-inspect baseline", "version": 2, "findings": []}')
    with pytest.raises(UsageError, match="newer"):
        read_baseline(path)


_BAD = Finding(
    "stdout-not-json",
    Severity.ERROR,
    Confidence.CERTAIN,
    "it says \x1b[31m<b>",
    (7,),
    "/a",
    (0, 5),
    "Don't.",
    "https://x",
)
_MILD = Finding("tool-description", Severity.HINT, Confidence.CERTAIN, "a has no description")


def test_a_finding_is_an_object_with_all_its_evidence() -> None:
    assert finding_as_json(_BAD) == {
        "id": "stdout-not-json",
        "severity": "error",
        "confidence": "certain",
        "count": 1,
        "sentence": "it says \x1b[31m<b>",
        "evidence": {"frames": (7,), "pointer": "/a", "bytes": (0, 5)},
        "fix": "Don't.",
        "page": "https://x",
        "revision": None,
        "connection": 1,
        "follows_from": None,
        "hosts": [],
    }


def test_a_check_names_the_page_of_its_newest_revision() -> None:
    about = check_as_json(CHECKS["server-request-not-allowed"])
    assert about["page"].endswith(f"{about['revisions'][-1]}/basic/patterns/mrtr")
    assert about["severity"] == "error"


def test_junit_has_a_case_for_each_check_and_a_failure_for_each_that_found_something() -> None:
    document = junit([_BAD, _MILD], all_checks(), "node server.js", Severity.ERROR)
    suite = Xml.fromstring(document)
    assert (suite.get("tests"), suite.get("failures")) == (str(len(CHECKS)), "1")
    (failed,) = (case for case in suite.iter("testcase") if case.find("failure") is not None)
    assert failed.get("classname") == "mcp.stdout-not-json"
    failure = failed.find("failure")
    assert failure is not None
    assert "␛[31m<b>" in str(failure.text)
    assert b"\x1b" not in document
    assert "a has no description" in "".join(each.text or "" for each in suite.iter("system-out"))


def test_junit_fails_from_the_given_severity() -> None:
    assert Xml.fromstring(junit([_BAD, _MILD], all_checks(), "x", Severity.HINT)).get("failures") == "2"


def test_sarif_points_each_result_at_its_rule() -> None:
    document = json.loads(sarif([_BAD, _MILD], all_checks(), "server.js"))
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == ["stdout-not-json", "tool-description"]
    assert [each["level"] for each in run["results"]] == ["error", "note"]
    where = run["results"][0]["locations"][0]
    assert where["physicalLocation"]["artifactLocation"]["uri"] == "server.js"
    assert where["logicalLocations"][0]["fullyQualifiedName"] == "entry 7/a"


def _place(target: str) -> str:
    (run,) = json.loads(sarif([_BAD], all_checks(), target))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 1}
    return str(place["artifactLocation"]["uri"])


def test_sarif_names_what_was_checked_by_a_reference_that_is_one() -> None:
    assert _place("captures/one evening.mcpcap") == "captures/one%20evening.mcpcap"
    assert _place("100% ü:1") == "100%25%20%C3%BC%3A1"
    assert _place("https://example.test/m%20cp?a=b#c") == "https://example.test/m%20cp?a=b#c"
    assert _place("") == "server"


def test_no_report_has_the_password_of_an_address() -> None:
    target = "https://ann:s3cret@example.test/mcp?api_key=s3cret"
    assert "s3cret" not in _place(target)
    assert b"s3cret" not in junit([_BAD], all_checks(), target, Severity.ERROR)


def test_sarif_has_rules_and_stable_fingerprints() -> None:
    (run,) = json.loads(sarif([_BAD, _MILD], all_checks(), "server.js"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rule[name]["text"] for rule in rules for name in ("shortDescription", "fullDescription", "help"))
    prints = [each["partialFingerprints"]["finding/v1"] for each in run["results"]]
    assert len(set(prints)) == 2
    (again,) = json.loads(sarif([replace(_BAD, frames=(99,))], all_checks(), "other.js"))["runs"]
    assert again["results"][0]["partialFingerprints"]["finding/v1"] == prints[0]


def test_junit_has_the_attributes_that_its_readers_demand() -> None:
    suite = Xml.fromstring(junit([_BAD], all_checks(), "x", Severity.ERROR))
    assert {"name", "tests", "failures", "errors", "skipped", "time"} == set(suite.attrib)
    assert all({"name", "classname", "time"} == set(case.attrib) for case in suite.iter("testcase"))
