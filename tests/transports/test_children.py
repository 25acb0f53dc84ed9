"""Process groups: registered, signalled, ended, and never those of other programs."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.errors import ConnectError
from inspector.transports import children
from inspector.transports.children import (
    Child,
    end_all_children,
    find_executable,
    forget_group,
    is_group_alive,
    processes_of,
    signal_group,
    spawn,
    watch_exit,
    why_not_started,
)
from tests.transports.recording import child_env, server
from tests.waiting import PATIENCE_S, until


def _start(name: str) -> Child:
    argv = server(name)
    return spawn(sys.executable, argv, child_env(), None)


def _end(child: Child) -> None:
    child.kill()
    child.wait()
    forget_group(child.pid)
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe
        pipe.close()


def test_a_child_leads_a_group_and_a_session_of_its_own(home: Path) -> None:
    child = _start("echo")
    try:
        assert os.getpgid(child.pid) == os.getsid(child.pid) == child.pid
        assert is_group_alive(child.pid)
    finally:
        _end(child)
    assert not is_group_alive(child.pid)


def test_a_signal_to_a_group_that_is_gone_is_no_error(home: Path) -> None:
    child = _start("echo")
    _end(child)
    signal_group(child.pid, signal.SIGTERM)


def test_unreaped_dead_child_is_not_alive(home: Path) -> None:
    child = _start("echo")
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_group_alive(child.pid)
    _end(child)


async def test_exit_is_reported_on_the_loop_with_its_time(home: Path) -> None:
    child = _start("echo")
    told: list[float] = []
    thread = watch_exit(child, told.append)
    signal_group(child.pid, signal.SIGKILL)
    await until(lambda: told, "the exit is told")
    thread.join()
    assert told[0] <= asyncio.get_running_loop().time()
    _end(child)


def test_exit_after_the_loop_is_not_reported(home: Path) -> None:
    child = _start("echo")

    async def watch() -> None:
        watchers.append(watch_exit(child, lambda _at: None))

    watchers: list[threading.Thread] = []
    asyncio.run(watch())
    _end(child)
    watchers[0].join()


def test_all_groups_are_ended_the_stubborn_ones_by_force(home: Path) -> None:
    meek, stubborn = _start("echo"), _start("ignores_sigterm")
    assert stubborn.stdout
    stubborn.stdout.readline()
    end_all_children(grace=0.1)
    assert meek.wait() == -signal.SIGTERM
    assert stubborn.wait() == -signal.SIGKILL
    end_all_children(grace=0.1)
    for child in (meek, stubborn):
        _end(child)


def test_a_fork_of_ours_does_not_end_our_children(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = _start("echo")
    with monkeypatch.context() as patch:
        patch.setattr(children, "_owner", os.getpid() + 1)
        end_all_children(grace=0)
    assert is_group_alive(child.pid)
    _end(child)


def test_spawn_failure_is_a_connect_error(tmp_path: Path) -> None:
    with pytest.raises(ConnectError, match="could not be started"):
        spawn("/bin/sh", ["sh", "a\0b"], {}, None)
    with pytest.raises(ConnectError, match="could not be started"):
        spawn(str(tmp_path), ["x"], {}, None)


_LEAVES_WITHOUT_CLOSING = """
import asyncio, os, sys
from inspector.transports.stdio import StdioTransport
from tests.transports.recording import Recorder, child_env, server

async def main():
    recorder = Recorder()
    transport = StdioTransport(server(sys.argv[1]), env=child_env())
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it is ready")
    print(transport.pid, flush=True)
    sys.stdin.read() if "wait" in sys.argv else sys.exit(3)

asyncio.run(main())
"""


def test_a_program_that_exits_without_closing_leaves_no_child() -> None:
    argv = [sys.executable, "-c", _LEAVES_WITHOUT_CLOSING, "ignores_sigterm"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 3, done.stderr
    assert not is_group_alive(int(done.stdout))


async def test_if_we_are_killed_the_server_reads_the_end_of_its_stdin() -> None:
    argv = [sys.executable, "-c", _LEAVES_WITHOUT_CLOSING, "banner", "wait"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:  # noqa: ASYNC220, TID251
        assert program.stdout
        group = int(program.stdout.readline())
        assert is_group_alive(group)
        program.kill()
    await until(lambda: not is_group_alive(group), "the server has ended by itself")


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


def test_missing_command_names_path_and_nearest(tmp_path: Path) -> None:
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


def test_non_executable_file_is_reported(tmp_path: Path) -> None:
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
    assert what.startswith(f"{script} exists but its interpreter `node9` is not on the PATH")
    _script(tmp_path / "node9")
    assert find_executable("serve", {"PATH": str(tmp_path)}, None) == str(script)


@pytest.mark.parametrize("line", ["#!/usr/bin/env -S node9 --flag", "#!/usr/bin/env A=b node9", "#! /bin/sh -e", "#!"])
def test_script_lines_are_left_to_the_kernel(tmp_path: Path, line: str) -> None:
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
        (errno.ENOENT, "its interpreter or loader does not"),
        (errno.ENOEXEC, "neither a program for this machine nor a script"),
        (errno.E2BIG, "could not be started: Argument list too long"),
    ],
)
def test_a_refusal_of_the_kernel_becomes_a_sentence(number: int, sentence: str) -> None:
    error = why_not_started("/bin/serve", OSError(number, os.strerror(number)))
    assert sentence in str(error)
    assert error.hint


@pytest.mark.parametrize("command", ["serve x.py", "serve -y @acme/server", "./serve --stdio", "gone --stdio"])
def test_command_line_in_one_word_contains_its_arguments(tmp_path: Path, command: str) -> None:
    _script(tmp_path / "serve")
    what, hint = _failure(command, tmp_path, tmp_path)
    assert what == f"There is no program {command!r}: the command contains its arguments."
    assert hint.startswith("Split it")


def test_path_with_a_blank_may_be_the_name_of_a_file(tmp_path: Path) -> None:
    assert "does not exist" in _failure("/opt/My Server/run", tmp_path)[0]
    assert "is not on the PATH" in _failure("My Server", tmp_path)[0]
    script = _script(tmp_path / "my -x serve")
    assert find_executable(script.name, {"PATH": str(tmp_path)}, None) == str(script)


def test_url_in_place_of_a_command_is_named(tmp_path: Path) -> None:
    url = "http://localhost:8080/mcp"
    assert _failure(url, tmp_path)[0] == f"The command is a URL: '{url}', and a URL is no program."


@pytest.mark.parametrize(
    ("begins", "built_for"),
    [
        (b"\x7fELF\x02\x01" + bytes(12) + b"\xf3\x00", "riscv64"),
        (b"\x7fELF\x02\x02" + bytes(12) + b"\x7f\xff", "another processor (32767)"),
        (b"MZ\x90\x00", "Windows"),
    ],
)
def test_program_for_another_machine_names_that_machine(tmp_path: Path, begins: bytes, built_for: str) -> None:
    (tmp_path / "serve").write_bytes(begins)
    error = why_not_started(str(tmp_path / "serve"), OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC)))
    assert str(error) == f"{tmp_path}/serve is a program for {built_for}, not for this machine."


_TREE = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
async def test_processes_of_lists_descendants_with_commands() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", _TREE, stdin=asyncio.subprocess.PIPE)
    try:
        # Between fork and exec the child of the child has its parent's command.
        await until(lambda: [each.argv[-1] for each in processes_of(child.pid)][1:] == ["input()"], "both run")
        top, below = processes_of(child.pid)
        assert (top.pid, below.argv[-1]) == (child.pid, "input()")
        assert top.cpu_s >= 0
    finally:
        assert child.stdin is not None
        child.stdin.close()
        await child.wait()
    assert processes_of(child.pid) == ()


def _made(proc: Path, pid: int, parent: int, *, state: str = "S", name: str = "x", children: str | None = None) -> None:
    place = proc / str(pid)
    (place / "task" / str(pid)).mkdir(parents=True)
    (place / "stat").write_text(f"{pid} ({name}) {state} {parent} " + "0 " * 9 + "150 50 " + "0 " * 30)
    (place / "cmdline").write_bytes(f"{name}\0--go\0".encode())
    if children is not None:
        (place / "task" / str(pid) / "children").write_text(children)


def test_processes_without_children_files_use_parents(tmp_path: Path) -> None:
    _made(tmp_path, 10, 1, name="a) S 99 (b")
    _made(tmp_path, 11, 10)
    _made(tmp_path, 12, 11)
    _made(tmp_path, 13, 10, state="Z")
    _made(tmp_path, 14, 1)
    (tmp_path / "notes").touch()
    found = processes_of(10, tmp_path)
    assert [each.pid for each in found] == [10, 11, 12]
    assert found[0].name == "a) S 99 (b"
    assert found[0].argv == ("a) S 99 (b", "--go")
    assert found[0].cpu_s == 200 / os.sysconf("SC_CLK_TCK")


def test_processes_with_children_files_use_them_only(tmp_path: Path) -> None:
    _made(tmp_path, 10, 1, children="11 ")
    _made(tmp_path, 11, 10, children="")
    _made(tmp_path, 12, 10)
    assert [each.pid for each in processes_of(10, tmp_path)] == [10, 11]


@pytest.mark.parametrize("stat", ["", "10", "10 (x) S", "nonsense"])
def test_unreadable_processes_are_left_out(tmp_path: Path, stat: str) -> None:
    assert processes_of(10, tmp_path) == ()
    _made(tmp_path, 10, 1, children="x y")
    (tmp_path / "10" / "stat").write_text(stat)
    assert processes_of(10, tmp_path) == ()
