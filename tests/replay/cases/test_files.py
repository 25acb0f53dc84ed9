"""Files of cases, beside their captures."""

from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.replay.cases import files
from inspector.replay.cases.files import add_cases, beside, open_cases
from inspector.replay.cases.model import Case


def test_a_file_of_cases_stands_beside_its_capture(tmp_path: Path) -> None:
    assert beside(tmp_path / "a.mcpcap") == tmp_path / "a.cases.yaml"
    assert beside(tmp_path / "a.log") == tmp_path / "a.log.cases.yaml"


def test_cases_are_added_to_a_new_file_and_to_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.cases.yaml"
    assert add_cases(path, [Case("a", "ping")]) == 1
    assert add_cases(path, [Case("b", "ping", {"n": 1})]) == 2
    assert [each.name for each in open_cases(path).cases] == ["a", "b"]


def test_line_ends_stay_as_somebody_has_them(tmp_path: Path) -> None:
    path = tmp_path / "a.cases.yaml"
    path.write_bytes(b"# mine\r\nmcp-inspect-cases: 1\r\ncases: []\r\n")
    add_cases(path, [Case("a", "ping")])
    assert path.read_bytes().startswith(b"# mine\r\nmcp-inspect-cases: 1\r\ncases: [")


def test_what_is_no_file_of_cases_is_told_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cases.yaml"
    for content, said in ((b"a: 1", "means nothing in a file of cases"), (b"\xff", "byte 0 is not UTF-8")):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=said):
            add_cases(path, [Case("a", "ping")])
        assert path.read_bytes() == content
    with pytest.raises(UsageError, match="can't be read: Is a directory"):
        open_cases(tmp_path)
    with pytest.raises(UsageError, match="can't be read: No such file"):
        open_cases(tmp_path / "none")
    monkeypatch.setattr(files, "LARGEST", 0)
    with pytest.raises(UsageError, match="larger than any file of cases"):
        open_cases(path)
