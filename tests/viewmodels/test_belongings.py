"""A child's variables are named, dated by their origin and masked; the recording says where it is."""

from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.viewmodels.belongings import environment_section, recording_section
from inspector.viewmodels.lines import plain, section_lines
from tests.viewmodels.tape import Tape

VALUES = {"PATH": "/bin", "TOKEN": "s3cr3t", "ROOT": "${HOME}/x", "NONE": ""}
ORIGINS = {"PATH": "minimal set", "TOKEN": "-e", "ROOT": "--env-file", "NONE": "-e"}


def shown(*, reveal: bool) -> dict[str, str]:
    section = environment_section(VALUES, VALUES, ORIGINS, reveal=reveal)
    return {fact.key: fact.value for fact in section.facts}


def test_values_are_masked_and_origins_are_not() -> None:
    facts = shown(reveal=False)
    assert facts["TOKEN"] == "••••••  · -e"
    assert facts["PATH"] == "/bin  · minimal set"  # every program has it, and nothing in it is a secret
    assert "s3cr3t" not in str(facts)


def test_values_are_there_for_who_asks() -> None:
    facts = shown(reveal=True)
    assert facts["TOKEN"] == "s3cr3t  · -e"
    assert facts["PATH"] == "/bin  · minimal set"


@pytest.mark.parametrize("reveal", [False, True])
def test_a_variable_that_nobody_expanded_is_flagged(reveal: bool) -> None:
    section = environment_section(VALUES, VALUES, ORIGINS, reveal=reveal)
    root = next(fact for fact in section.facts if fact.key == "ROOT")
    assert "▲ ${HOME} stands as it is" in root.value
    assert root.role == "warning"
    assert [fact.key for fact in section.facts if fact.role == "warning"] == ["ROOT"]


def test_an_empty_value_is_told_from_a_hidden_one() -> None:
    assert shown(reveal=False)["NONE"] == "(empty)  · -e"


def test_of_a_recording_only_the_names_are_known() -> None:
    (fact,) = environment_section(["TOKEN"], {}, {}, reveal=True).facts
    assert (fact.key, fact.value) == ("TOKEN", "set")


def test_hostile_names_and_values_do_nothing() -> None:
    (fact,) = environment_section(["A\x1b[2J"], {"A\x1b[2J": "\x07"}, {}, reveal=True).facts
    assert (fact.key, fact.value) == ("A␛[2J", "␇")


def test_the_recording_names_its_file(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    section = recording_section(journal)
    journal.close()
    facts = {fact.key: fact.value for fact in section.facts}
    assert facts["file"] == str(tmp_path / "a.mcpcap")
    assert facts["state"] == "recording"
    assert facts["size"].endswith(" B")


def test_what_is_not_recorded_says_so_and_why(tape: Tape) -> None:
    tape.journal.note("this session is not recorded: the disk is full")
    lines = list(map(plain, section_lines(recording_section(tape.journal))))
    assert any("none" in line for line in lines)
    assert any("▲ this session is not recorded: the disk is full" in line for line in lines)
