"""The samples equal the output of their generator, and mcp-inspect meets the requirements for readers."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from inspector.capture.format.notes import NotesFile
from inspector.capture.format.records import KNOWN, Dated, Record
from inspector.capture.format.verify import recover, verify
from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from tests.captures.expectations import EXPECTED, Expectation, document, table
from tests.captures.formats import DIRECTORY, samples
from tests.captures.record import HERE
from tests.captures.schema import FILE
from tests.captures.schema import document as schema_document
from tests.cli.running import inspect
from tests.entries import whats

_DOCUMENT = (Path(__file__).parents[2] / "docs/mcpcap.md").read_text()
_VALIDATOR = Draft202012Validator(json.loads(FILE.read_text()))
opened = pytest.mark.parametrize("name", [name for name, each in EXPECTED.items() if each.opens])
refused = pytest.mark.parametrize("name", [name for name, each in EXPECTED.items() if not each.opens])


def path_of(name: str) -> Path:
    return DIRECTORY / f"{name}.mcpcap"


def test_the_samples_are_what_is_made_today() -> None:
    assert {path.name: path.read_bytes() for path in DIRECTORY.glob("*.mcpcap*")} == samples()
    assert set(EXPECTED) == {name.removesuffix(".mcpcap") for name in samples() if name.endswith(".mcpcap")}
    assert (DIRECTORY / "expected.json").read_text() == document()
    assert table() in _DOCUMENT


@opened
def test_load_of_a_sample_counts_entries_and_notices_losses(name: str) -> None:
    expected, journal = EXPECTED[name], load(path_of(name))
    assert journal.count == expected.entries
    assert _left_out(journal) == expected.left_out
    assert bool(journal.notices) == (expected.left_out > 0 or name in ("head-only", "wrong-length", "gap"))


def _left_out(journal: Journal) -> int:
    """The number that the notices tell."""
    told = Counter[str]()
    for notice in journal.notices:
        if notice.startswith("Left out"):
            told["left out"] += int(notice.rsplit(": ", 1)[1].split()[0])
        elif "is incomplete" in notice:
            told["left out"] += 1
    return told["left out"]


@opened
def test_verify_comes_to_what_it_must(name: str) -> None:
    expected: Expectation = EXPECTED[name]
    verdict = verify(path_of(name))
    assert verdict.state == expected.verify
    assert (verdict.first_bad.line if verdict.first_bad else None) == expected.bad_line
    assert inspect("verify", str(path_of(name)), "-q").status == (expected.verify in ("truncated", "damaged"))


@opened
def test_tail_prints_each_entry_and_nothing_that_acts_on_a_terminal(name: str) -> None:
    ran = inspect("tail", str(path_of(name))).exits(0)
    assert len(ran.stdout.splitlines()) == EXPECTED[name].entries
    assert not any(sign in ran.stdout for sign in ("\x1b[2J", "\u202e", "\x07", "\u2028"))


@opened
def test_share_copies_what_can_be_had(name: str, tmp_path: Path) -> None:
    out = tmp_path / "copy.mcpcap"
    inspect("share", str(path_of(name)), "-o", str(out)).exits(0)
    assert verify(out).state == ("damaged" if name in ("gap", "wrong-length") else "redacted")
    before, after = load(path_of(name)), load(out)
    assert after.count == before.count
    assert whats(after) == whats(before)


@opened
def test_recover_writes_a_beginning_without_a_fault(name: str, tmp_path: Path) -> None:
    done = recover(path_of(name), tmp_path / "out.mcpcap")
    assert path_of(name).read_bytes().startswith((tmp_path / "out.mcpcap").read_bytes()[: done.copied])
    if EXPECTED[name].verify in ("whole", "cut"):
        assert verify(tmp_path / "out.mcpcap").fault_count == 0


@refused
def test_invalid_samples_are_refused_by_every_command(name: str, tmp_path: Path) -> None:
    path, out = path_of(name), tmp_path / "out.mcpcap"
    with pytest.raises(CaptureError):
        load(path)
    for words in (("verify", path), ("tail", path), ("share", path, "-o", out), ("recover", path, "-o", out)):
        ran = inspect(*map(str, words))
        assert (ran.status, ran.stdout) == (2, "")
        assert name in ran.stderr
        assert not out.exists()


def test_the_document_names_every_field_of_every_record() -> None:
    entries = _DOCUMENT.split("## Entries and other records")[1].split("### ")[0]
    for record in get_args(Record):
        kind = record.__struct_config__.tag
        section = _DOCUMENT.split(f"### `{kind}`")[1].split("\n#")[0]
        common = entries if record in get_args(Dated) else ""
        missing = [name for name in record.__struct_encode_fields__ if f"`{name}`" not in section + common]
        assert missing == [], kind


@pytest.mark.parametrize("kind", sorted(KNOWN))
def test_the_document_has_an_example_and_the_required_fields_of_each_record(kind: str) -> None:
    section = _DOCUMENT.split(f"### `{kind}`")[1].split("\n## ")[0].split("\n### ")[0]
    example = json.loads(section.split("```json\n")[1].split("```")[0])
    assert example["r"] == kind
    _VALIDATOR.validate(example)
    rows = re.findall(r"^\| (`.+?`) \| .+? \| (yes|no|one of them) \|", section, re.MULTILINE)
    required = {name for names, word in rows if word == "yes" for name in re.findall(r"`(\w+)`", names)}
    parts = [
        part
        for part in json.loads(FILE.read_text())["$defs"].values()
        if part.get("properties", {}).get("r") == {"const": kind}
    ]
    assert required | {"r", "tm"} == {*parts[0]["required"], "r", "tm"}


def test_the_session_in_the_document_is_a_capture(tmp_path: Path) -> None:
    (tmp_path / "x.mcpcap").write_text(_DOCUMENT.split("```json\n")[1].split("```")[0])
    verdict = verify(tmp_path / "x.mcpcap")
    assert (verdict.frames, verdict.covered, verdict.faults) == (2, 1, ())


def test_notes_that_name_a_path_are_left_alone() -> None:
    notes = NotesFile(path_of("side-file"), "").read()
    assert notes.foreign
    assert "notes name no path" in notes.trouble


def test_the_schema_is_that_of_the_records() -> None:
    assert FILE.read_text() == schema_document()
    Draft202012Validator.check_schema(json.loads(FILE.read_text()))


@pytest.mark.parametrize("path", sorted(HERE.glob("*.mcpcap")), ids=lambda path: path.stem)
def test_every_line_that_is_recorded_fits_the_schema(path: Path) -> None:
    lines = path.read_bytes().split(b"\n")[:-1]
    seen = [json.loads(line) for line in lines]
    assert {each["r"] for each in seen} <= KNOWN
    assert [error.message for each in seen for error in _VALIDATOR.iter_errors(each)] == []


@opened
def test_readable_lines_of_a_sample_fit_the_schema(name: str) -> None:
    lines = path_of(name).read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")[:-1]
    bad = [number for number, line in enumerate(lines, 1) if not _fits(line)]
    assert bad == {"garbage": [4, 5, 6], "side-file": [5]}.get(name, [])


def _fits(line: bytes) -> bool:
    try:
        return _VALIDATOR.is_valid(json.loads(line))
    except ValueError:
        return False
