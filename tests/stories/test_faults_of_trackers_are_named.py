"""Faults from issue trackers: the true cause is what `check` names first, and in one sentence.

The table is `tests/servers/trackers`; `python -m tests.servers.trackers` prints it. Near misses of the checks stand
beside each check's own fault (tests/checks).
"""

from collections import Counter
from pathlib import Path

import pytest

from inspector.capture.store.load import load
from inspector.present.failure_report import diagnosis_lines, diagnosis_of
from inspector.present.spans import plain
from tests.cli.running import inspect
from tests.servers.trackers import FAMILIES, faults
from tests.servers.trackers.running import Found, run_all

FAULTS = faults()
LONGEST = 320
"""Characters of a sentence that somebody reads at a glance."""


def test_there_are_more_than_a_hundred_of_all_families_each_with_its_story_and_source() -> None:
    assert len(FAULTS) >= 100
    assert len({name for name, _ in FAULTS}) == len(FAULTS)
    assert set(Counter(name.partition("/")[0] for name, _ in FAULTS)) == set(FAMILIES)
    assert all(len(fault.story) > 15 and fault.source for _, fault in FAULTS)
    assert all(bool(fault.says) is bool(fault.expects) for _, fault in FAULTS)
    assert len({fault.source for _, fault in FAULTS if fault.source.startswith("https://")}) >= 60


@pytest.mark.timeout(900)  # some 1,800 servers, several at a time
def test_the_true_cause_of_each_is_named_first_in_one_sentence(tmp_path: Path) -> None:
    found = list(run_all(FAULTS, tmp_path))
    assert not [f"{each.name}: {each.wrong}; it says: {each.sentence}" for each in found if each.wrong]
    assert not [each.name for each in found if "\n" in each.sentence or len(each.sentence) > LONGEST]
    judged = [each for each in found if each.fault.expects and each.fault.words in ("check", "doctor")]
    judged = [each for each in judged if "--probe" not in each.fault.options]  # its findings are of the calls it made
    assert not [fault for each in judged for fault in _faults_of_text(each)]
    failed = [each for each in judged if each.ran.status in (3, 4, 7)]
    assert len(failed) >= 60
    assert not [fault for each in failed for fault in _faults_of_card(each)]


def _faults_of_text(found: Found) -> list[str]:
    """What is wrong with the text that is made of the recording."""
    text = inspect("check", str(found.capture)).stdout
    first = text.split("\n", 1)[0]
    named = "Failure:" if found.id == "failure" else found.id  # a failure that no check explains is told by itself
    return [] if named in first.split() else [f"{found.name}: the text begins with {first!r}"]


def _faults_of_card(found: Found) -> list[str]:
    """What is wrong with the reason on the card of a failed connection or call, and in the failure's JSON."""
    journal = load(found.capture)
    try:
        told = diagnosis_of(journal)
    finally:
        journal.close()
    if told is None and found.id == "http-redirect":
        return []  # a hint: other clients follow it, and the failure's own message states it
    if told is None or told.reason.id != found.id:
        return [f"{found.name}: the card names {told.reason.id if told else 'nothing'}, check {found.id}"]
    if told.reason.sentence[:40] not in plain(diagnosis_lines(told)[0]):
        return [f"{found.name}: the reason is not on the card"]
    named = found.ran.error.get("diagnosis", [{}])[0].get("id")
    return [] if named == found.id else [f"{found.name}: the failure's JSON names {named}, check {found.id}"]
