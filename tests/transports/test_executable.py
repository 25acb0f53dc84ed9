"""Which file a command names in the eyes of the child, and a sentence for each way in which there is none."""

import errno
import os
from pathlib import Path

import pytest

from inspector.errors import ConnectError
from inspector.transports.executable import find_executable, why_not_started


def _script(path: Path, first_line: str = "#!/bin/sh", mode: int = 0o755) -> Path:
    path.write_bytes(first_line.encode() + b"\nexit 0\n")
    path.chmod(mode)
    return path


def _failure(command: str, path: Path, cwd: Path | None = None) -> tuple[str, str]:
    with pytest.raises(ConnectError) as caught:
        find_executable(command, {"PATH": str(path)}, str(cwd) if cwd else None)
    return str(caught.value), caught.value.hint


def test_a_bare_command_is_looked_up_on_the_path_of_the_child(tmp_path: Path) -> None:
    script = _script(tmp_path / "serve")
    assert find_executable("serve", {"PATH": f"/nowhere:{tmp_path}"}, None) == str(script)


def test_relative_paths_are_meant_from_the_directory_of_the_child(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = _script(tmp_path / "bin" / "serve")
    assert find_executable("./bin/serve", {}, str(tmp_path)) == str(script)
    assert find_executable("serve", {"PATH": "bin"}, str(tmp_path)) == str(script)


def test_without_a_path_the_default_of_the_system_is_searched() -> None:
    assert os.access(find_executable("sh", {}, None), os.X_OK)
    with pytest.raises(ConnectError, match="it got no PATH"):
        find_executable("no-such-command", {}, None)


def test_a_miss_tells_what_was_searched_and_what_is_nearest(tmp_path: Path) -> None:
    _script(tmp_path / "mcp-server-files")
    what, hint = _failure("mcp-sever-files", tmp_path)
    assert what == f"`mcp-sever-files` is not on the PATH that the server gets; it looked in {tmp_path}"
    assert "Did you mean `mcp-server-files`?" in hint
    assert "Did you mean" not in _failure("zzz", tmp_path)[1]


def test_a_missing_file_names_its_neighbour(tmp_path: Path) -> None:
    _script(tmp_path / "server.sh")
    what, hint = _failure(f"{tmp_path}/sever.sh", tmp_path)
    assert what == f"{tmp_path}/sever.sh does not exist."
    assert f"{tmp_path}/server.sh" in hint
    assert "Check the path" in _failure("/nowhere/at/all", tmp_path)[1]


def test_a_link_to_nothing_names_both_ends(tmp_path: Path) -> None:
    (tmp_path / "serve").symlink_to("/gone/serve")
    assert _failure(f"{tmp_path}/serve", tmp_path)[0].endswith("is a link to /gone/serve, which does not exist.")


def test_a_file_that_may_not_be_executed_says_so_with_and_without_a_path(tmp_path: Path) -> None:
    _script(tmp_path / "serve", mode=0o644)
    for command in ("serve", f"{tmp_path}/serve"):
        what, hint = _failure(command, tmp_path)
        assert what == f"{tmp_path}/serve exists but may not be executed."
        assert "chmod +x" in hint


def test_a_directory_is_no_program_but_may_have_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    what, hint = _failure(f"{tmp_path}/empty", tmp_path)
    assert what.endswith("is a directory, not a program.")
    assert hint == "Name the program to run."
    script = _script(tmp_path / "empty" / "serve")
    assert str(script) in _failure(f"{tmp_path}/empty", tmp_path)[1]


def test_the_directory_to_start_in_must_be_one(tmp_path: Path) -> None:
    script = _script(tmp_path / "serve")
    assert "does not exist" in _failure(str(script), tmp_path, tmp_path / "gone")[0]
    assert "is not a directory" in _failure(str(script), tmp_path, script)[0]


def test_a_script_whose_interpreter_is_missing_exists_all_the_same(tmp_path: Path) -> None:
    script = _script(tmp_path / "serve", "#!/opt/python9/bin/python -u")
    what, hint = _failure("serve", tmp_path)
    assert what == f"{script} exists but its interpreter /opt/python9/bin/python does not."
    assert hint.startswith("Install python")


def test_an_interpreter_that_env_will_not_find_is_missing_too(tmp_path: Path) -> None:
    script = _script(tmp_path / "serve", "#!/usr/bin/env node9")
    what, _hint = _failure("serve", tmp_path)
    assert what.startswith(f"{script} exists but its interpreter `node9` does not on the PATH")
    _script(tmp_path / "node9")
    assert find_executable("serve", {"PATH": str(tmp_path)}, None) == str(script)


@pytest.mark.parametrize("line", ["#!/usr/bin/env -S node9 --flag", "#!/usr/bin/env A=b node9", "#! /bin/sh -e", "#!"])
def test_what_only_env_or_the_kernel_can_judge_is_left_to_them(tmp_path: Path, line: str) -> None:
    script = _script(tmp_path / "serve", line)
    assert find_executable("serve", {"PATH": str(tmp_path)}, None) == str(script)


@pytest.mark.parametrize("line", ["#!/bin/sh\r", "#!/usr/bin/env python3\r"])
def test_windows_line_ends_in_a_script_are_recognised(tmp_path: Path, line: str) -> None:
    _script(tmp_path / "serve", line)
    what, hint = _failure("serve", tmp_path)
    assert "carriage return" in what
    assert "dos2unix" in hint


@pytest.mark.parametrize("command", ["", "a\0b"])
def test_an_empty_command_is_none(tmp_path: Path, command: str) -> None:
    assert "empty or holds a NUL" in _failure(command, tmp_path)[0]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENOENT, "the loader that it was built for does not"),
        (errno.ENOEXEC, "neither a program for this machine nor a script"),
        (errno.E2BIG, "could not be started: Argument list too long"),
    ],
)
def test_a_refusal_of_the_kernel_becomes_a_sentence(number: int, sentence: str) -> None:
    error = why_not_started("/bin/serve", OSError(number, os.strerror(number)))
    assert sentence in str(error)
    assert error.hint
