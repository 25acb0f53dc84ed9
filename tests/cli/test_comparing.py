"""What two files are called, and which are captures."""

from pathlib import Path

from inspector.cli.comparing import is_capture, names_of
from inspector.viewmodels.compare import Names
from tests.captures.record import sample


def test_files_of_one_name_are_called_by_their_paths() -> None:
    assert names_of(Path("a/x.mcpcap"), Path("b/x.mcpcap")) == Names("a/x.mcpcap", "b/x.mcpcap")
    assert names_of(Path("a/x.mcpcap"), Path("b/y.mcpcap")) == Names("x.mcpcap", "y.mcpcap")


def test_a_capture_is_known_by_its_first_line_too(tmp_path: Path) -> None:
    other = tmp_path / "renamed"
    other.write_bytes(sample("handshake").read_bytes())
    assert is_capture(other)
    assert not is_capture(Path(__file__))
    assert not is_capture(tmp_path / "none")
