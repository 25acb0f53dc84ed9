"""Every faulty server gets the right diagnosis: in text and JSON of `check`, its recording, and the card.

One run of each, four at a time; `python -m tests.servers.faulty` shows the same as a table.
"""

import json
import xml.etree.ElementTree as Xml
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from inspector.capture.store.load import load
from inspector.present.failure_report import diagnosis_lines, diagnosis_of, has_failure
from inspector.present.spans import plain
from tests.servers.faulty import servers
from tests.servers.faulty.verdicts import Verdict, check_all

SERVERS = servers()
MOST_LINES = 60
"""Of a server's file: it has to be read in a moment."""


def test_there_are_faults_of_every_chapter_and_each_has_its_story() -> None:
    chapters = Counter(each.name.partition("/")[0] for each in SERVERS)
    assert sum(chapters.values()) >= 60
    assert set(chapters) == {"authorization", "framing", "http", "lifecycle", "process", "results", "surface"}
    assert all(len(each.story) > 20 for each in SERVERS)
    assert not [each.name for each in SERVERS if len(each.file.read_text().splitlines()) > MOST_LINES]


def test_each_is_diagnosed_live_and_recorded_and_leaves_nothing_behind(tmp_path: Path) -> None:
    verdicts = list(check_all(SERVERS, tmp_path))
    wrong = [f"{each.server.name} ({each.server.expects}): {'; '.join(each.faults)}" for each in verdicts]
    assert not [line for line, each in zip(wrong, verdicts, strict=True) if each.faults]
    assert not [fault for each in verdicts for fault in _faults_of_reports(each)]
    cards = [each for each in verdicts if each.live.status in (3, 4, 7)]
    assert len(cards) >= 40
    assert not [fault for each in cards for fault in _faults_of_card(each)]


def _faults_of_reports(verdict: Verdict) -> Iterator[str]:
    """What is wrong with the two reports that were made of a recording."""
    (run,) = json.loads(verdict.capture.with_suffix(".sarif").read_bytes())["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = [each["id"] for each in verdict.again.data["findings"]]
    if [each["ruleId"] for each in run["results"]] != found:
        yield f"{verdict.server.name}: SARIF has other results than JSON"
    if any(rules[each["ruleIndex"]] != each["ruleId"] for each in run["results"]):
        yield f"{verdict.server.name}: SARIF has a result of another rule"
    suite = Xml.parse(verdict.capture.with_suffix(".xml")).getroot()
    failed = {str(case.get("classname")) for case in suite.iter("testcase") if case.find("failure") is not None}
    errors = {f"mcp.{each['id']}" for each in verdict.again.data["findings"] if each["severity"] == "error"}
    if failed != errors or suite.get("failures") != str(len(errors)):
        yield f"{verdict.server.name}: JUnit fails {sorted(failed)}, JSON has {sorted(errors)}"


def _faults_of_card(verdict: Verdict) -> Iterator[str]:
    """What is wrong with the reason that the card gives, and with the one in the failure's JSON."""
    journal = load(verdict.capture)
    try:
        found, dead = diagnosis_of(journal), has_failure(journal)
    finally:
        journal.close()
    name, expects = verdict.server.name, verdict.server.expects
    if found is None or expects != found.reason.id:
        yield f"{name}: the card tells {found}"
        return
    if found.reason.sentence[:20] not in plain(diagnosis_lines(found)[0]):
        yield f"{name}: the reason does not stand on the card"
    error = verdict.live.error
    if error["diagnosis"][0]["id"] != found.reason.id:
        yield f"{name}: the failure's JSON tells {error['diagnosis'][:1]}"
    if dead and "post_mortem" not in error:
        yield f"{name}: the failure has no card"
