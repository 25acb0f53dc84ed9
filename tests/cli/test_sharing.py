"""What `share` looks for: given by options, in files, and in the environment of whoever shares."""

from pathlib import Path

import pytest

from inspector.cli.sharing import chosen, variables
from inspector.errors import UsageError
from tests.capture.sharing.planting import GIVEN, planted


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
    assert {rule for _, rule in found.wish.secrets} == {"env:LIGHTHOUSE_KEY", "env:DATABASE", "env:MY_TOKEN"}
    assert found.unknown == ("NOT_HERE_TOKEN",)
    assert found.common == ("PIN_CODE",)


def test_secrets_are_lines_of_a_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"one secret \r\n\nother\xff")
    found = chosen(path, {}, secret_files=[tmp_path / "s"])
    assert found.wish.secrets == (("one secret ", "secret:1"), ("other\udcff", "secret:1"))


def test_a_key_is_read_or_made_anew(path: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef\n")
    assert chosen(path, {}, key_file=tmp_path / "key").wish.key == b"0123456789abcdef"
    assert chosen(path, {}).wish.key != chosen(path, {}).wish.key
    (tmp_path / "key").write_text("short")
    with pytest.raises(UsageError, match="fewer than 16 bytes"):
        chosen(path, {}, key_file=tmp_path / "key")
