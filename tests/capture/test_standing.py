"""A file that is another one now is told from the one that was read."""

import os
from pathlib import Path

import pytest

from inspector.capture.standing import Standing


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x"
    path.write_bytes(b"head one\n" + b"x" * 3000)
    return path


def put_another(path: Path) -> None:
    path.with_name("y").write_bytes(path.read_bytes())
    path.with_name("y").replace(path)


def write_anew(path: Path) -> None:
    path.write_bytes(b"head two\n" + b"y" * 5000)


@pytest.mark.parametrize(
    ("happens", "why", "readable"),
    [
        (lambda path: os.truncate(path, 2000), "was cut", 2000),
        (lambda path: path.write_bytes(b"head two\n"), "was cut", 0),
        (write_anew, "written anew", 0),
        (put_another, "another file has taken the place", None),
        (lambda path: path.unlink(), "can't be looked at", None),
    ],
)
def test_what_happened_is_told_and_how_much_can_still_be_had(
    path: Path, happens: object, why: str, readable: int | None
) -> None:
    fd = os.open(path, os.O_RDONLY)
    standing = Standing(fd, path)
    assert standing.trouble(3009) is None
    happens(path)  # type: ignore[operator]
    trouble = standing.trouble(3009)
    os.close(fd)
    assert trouble is not None
    assert why in trouble.why
    assert trouble.readable == readable


def test_a_file_that_has_grown_is_the_same(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    standing = Standing(fd, path)
    with path.open("ab") as out:
        out.write(b"more")
    assert standing.trouble(3009) is None
    os.close(fd)


def test_a_cut_between_two_looks_is_called_a_cut(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fd = os.open(path, os.O_RDONLY)
    standing, long_ago = Standing(fd, path), os.stat(path)

    def cut_after_the_first_look(asked: int) -> os.stat_result:
        monkeypatch.undo()
        os.truncate(path, 500)
        return long_ago

    monkeypatch.setattr(os, "fstat", cut_after_the_first_look)
    trouble = standing.trouble(3009)
    os.close(fd)
    assert trouble is not None
    assert "was cut" in trouble.why
    assert trouble.readable == 500
