"""A copy without secrets, as the interface asks for it."""

from pathlib import Path

import pytest

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.capture.store.load import load
from inspector.cli.sharing import chosen, shared, variables
from inspector.errors import UsageError
from inspector.features.share.share import Sharing
from tests.captures.record import sample
from tests.features.share.planting import GIVEN, planted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A capture with a note that holds a secret."""
    file = tmp_path / "a.mcpcap"
    file.write_bytes(Path(sample("lighthouse")).read_bytes())
    journal = load(file)
    NotesFile(file, journal.head.id).change(lambda notes: notes.marked(1, new_mark(1, text="sesame-42")))
    journal.close()
    return file


def test_unscanned_notes_are_removed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Sharing.scan

    def scan(sharing: Sharing, path: Path | str) -> None:
        if str(path).endswith(".notes"):
            raise KeyboardInterrupt
        whole(sharing, path)

    monkeypatch.setattr(Sharing, "scan", scan)
    with pytest.raises(KeyboardInterrupt):
        shared(file, tmp_path / "b.mcpcap", {}, notes=True, overwrite=False)
    assert not (tmp_path / "b.mcpcap.notes").exists()


def test_share_reports_replacements_and_copies_notes(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.mcpcap"
    said = shared(file, out, {"MY_TOKEN": "sesame-42"}, notes=True, overwrite=False)
    assert "values replaced" in said[0]
    assert out.exists()
    assert "sesame-42" not in (tmp_path / "b.mcpcap.notes").read_text()
    with pytest.raises(UsageError, match="already exists"):
        shared(file, out, {}, notes=False, overwrite=False)
    shared(file, out, {}, notes=False, overwrite=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return planted(tmp_path / "x.mcpcap")


def test_the_names_of_the_servers_variables_are_in_the_capture(path: Path) -> None:
    assert variables(path) == ("PATH", "LIGHTHOUSE_KEY", "DATABASE", "PIN_CODE", "NOT_HERE_TOKEN")


def test_values_come_from_the_environment_as_far_as_it_has_them(path: Path) -> None:
    found = chosen(
        path,
        GIVEN | {"PATH": "/usr/bin/and/more/1", "MY_TOKEN": "mine4", "PWD": "/w/of/mine-1", "OTHER": "not-looked-at-1"},
    )
    assert {rule for _, rule in found.request.secrets} == {"env:LIGHTHOUSE_KEY", "env:DATABASE", "env:MY_TOKEN"}
    assert found.unknown == ("NOT_HERE_TOKEN",)
    assert found.common == ("PIN_CODE",)


def test_secrets_are_lines_of_a_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"one secret \r\n\nother\xff")
    found = chosen(path, {}, secret_files=[tmp_path / "s"])
    assert found.request.secrets == (("one secret ", "secret:1"), ("other\udcff", "secret:1"))


def test_share_key_is_read_or_made(path: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef\n")
    assert chosen(path, {}, key_file=tmp_path / "key").request.key == b"0123456789abcdef"
    assert chosen(path, {}).request.key != chosen(path, {}).request.key
    (tmp_path / "key").write_text("short")
    with pytest.raises(UsageError, match="fewer than 16 bytes"):
        chosen(path, {}, key_file=tmp_path / "key")
