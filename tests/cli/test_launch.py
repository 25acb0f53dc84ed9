"""What a session is recorded into, and what is remembered."""

import stat
from pathlib import Path

import pytest

from inspector.cli.env import CliEnv
from inspector.cli.launch import kept_journal, named_journal, numbered, settings_for
from inspector.cli.targets import TargetOptions
from inspector.config.environment import Environment
from inspector.config.paths import places
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import newest_of
from inspector.session.options import Timeouts

_TARGET = StdioTarget(("node", "gulls.js"), Environment({}, {}), "/")


def _chosen(capture: Path | None = None, *, record: bool = True, era: Era | None = None) -> TargetOptions:
    return TargetOptions(_TARGET, era, "", Timeouts(), capture, record)


def test_a_session_is_kept_on_a_private_shelf_under_a_name_of_its_own() -> None:
    first, second = kept_journal(_chosen(), CliEnv()), kept_journal(_chosen(), CliEnv())
    for journal in (first, second):
        path = journal.capture_path
        assert path is not None
        assert (path.parent, path.suffix) == (places().captures, ".mcpcap")
        assert "gulls" in path.name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert journal.recording
        journal.close()
    assert first.capture_path != second.capture_path
    assert stat.S_IMODE(places().captures.stat().st_mode) == 0o700


def test_a_shelf_that_cannot_be_written_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    journal = kept_journal(_chosen(), CliEnv(environ={"MCP_INSPECT_HOME": str(tmp_path / "file")}))
    assert not journal.recording
    assert "This session is not recorded" in journal.notices[0]


def test_nothing_is_kept_where_nothing_shall_be() -> None:
    for journal in (kept_journal(_chosen(record=False), CliEnv()), named_journal(_chosen())):
        assert journal.capture_path is None
        journal.close()
    assert not places().captures.exists()


def test_a_named_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "a.mcpcap"
    kept_journal(_chosen(path), CliEnv()).close()
    with pytest.raises(UsageError, match="already exists"):
        kept_journal(_chosen(path), CliEnv())
    assert numbered(path) == tmp_path / "a-2.mcpcap"
    assert numbered(tmp_path / "b.mcpcap") == tmp_path / "b.mcpcap"


def test_era_is_remembered_unless_given() -> None:
    opening = Opening(newest_of(Era.LEGACY))
    settings_for(_chosen(era=Era.LEGACY), CliEnv()).remember(opening)
    assert settings_for(_chosen(), CliEnv()).remembered is None
    settings_for(_chosen(), CliEnv()).remember(opening)
    assert settings_for(_chosen(), CliEnv()).remembered is Era.LEGACY
