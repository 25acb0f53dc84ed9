"""`mcp-inspect share`: command lines and their results."""

import os
import stat
from pathlib import Path

import pytest

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.cli.commands.share import command
from tests.cli.running import inspect
from tests.features.share.planting import GIVEN, NAMED, PLANTED, planted

ENV = GIVEN | {"HOME": "/home/annelise", "USER": "annelise", "OWN_API_KEY": "of-my-own-314"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = planted(tmp_path / "planted.mcpcap")
    (tmp_path / "secrets").write_text(f"{NAMED}\n\n")
    return path


def words(path: Path, *more: str) -> list[str]:
    return ["share", str(path), "--secret", str(path.with_name("secrets")), "--redact", "params.arguments.path", *more]


def test_the_copy_has_none_of_the_planted_secrets(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy.mcpcap"
    ran = inspect(*words(path, "-o", str(out)), env=ENV).exits(0)
    copy = out.read_text()
    assert [place for place, secret in PLANTED.items() if secret in copy + ran.stdout + ran.stderr] == []
    assert "not known here, so not looked for: the values of NOT_HERE_TOKEN" in ran.stderr
    assert "too short or too common to be looked for: the values of PIN_CODE" in ran.stderr
    assert stat.S_IMODE(os.stat(out).st_mode) == 0o600


def test_a_dry_run_lists_what_would_go_and_writes_nothing(path: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    ran = inspect(*words(path, "--dry-run"), env=ENV).exits(0).prints("values would be replaced", "headers.X-Api-Key")
    assert [place for place, secret in PLANTED.items() if secret in ran.stdout] == []
    data = inspect(*words(path, "--dry-run", "--json"), env=ENV).data
    assert data["file"] is None
    assert {"env:LIGHTHOUSE_KEY", "secret:1", "path", "home", "user", "token:github"} <= {
        each["rule"] for each in data["rules"]
    }
    assert sorted(tmp_path.iterdir()) == before


def test_notes_come_along_on_demand(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy.mcpcap"
    capture_id = "sample"
    NotesFile(path, capture_id).change(lambda notes: notes.marked(3, new_mark(3, "red", f"see {PLANTED['late']}")))
    assert inspect(*words(path, "-o", str(out)), env=ENV).status == 0
    assert not (tmp_path / "copy.mcpcap.notes").exists()
    assert inspect(*words(path, "-o", str(out), "--force", "--notes"), env=ENV).status == 0
    notes = NotesFile(out, capture_id).read()
    assert notes.marks[3].text.startswith("see rdct_")
    (tmp_path / "other.mcpcap.notes").write_text("mine")
    ran = inspect(*words(path, "-o", str(tmp_path / "other.mcpcap"), "--notes"), env=ENV)
    assert (ran.status, (tmp_path / "other.mcpcap").exists()) == (2, False)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "missing -o FILE"),
        (("-o", "x", "--secret-env", "NOT_SET"), "the environment has no NOT_SET"),
        (("-o", "x", "--secret", "none"), "none can't be read"),
        (("-o", "x", "--redact", ""), "is no path into a message"),
        (("-o", "x", "--secret-env", "PIN_CODE"), "fewer than 4 characters"),
        (("-o", "/nowhere/x"), "/nowhere/x can't be written"),
    ],
)
def test_share_of_unusable_arguments_is_refused(path: Path, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    ran = inspect("share", str(path), *[str(tmp_path / "x") if word == "x" else word for word in more], env=ENV)
    assert ran.status == 2
    assert said in ran.stderr
    assert not (tmp_path / "x").exists()


def test_share_command_has_its_name() -> None:
    assert command.name == "share"
