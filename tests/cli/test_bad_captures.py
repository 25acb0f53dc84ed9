"""Files that are no capture, or one that was cut, damaged or made to harm: every command stays calm.

What can't be read is refused with what it is and what to do, and nothing is written. Of what was cut, every command
sees what stands before the cut.
"""

import builtins
import io
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.format.verify import CaptureState, recover, verify
from inspector.capture.store.load import load
from inspector.cli.exit_status import ExitStatus
from inspector.errors import CaptureError
from tests.captures.expectations import EXPECTED
from tests.captures.formats import DIRECTORY
from tests.cli.running import inspect

GOOD = DIRECTORY / "good.mcpcap"
FOREIGN = DIRECTORY.parent / "foreign"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "tail": ("tail", "FILE"),
    "tail, by a filter": ("tail", "FILE", "is:error"),
    "check": ("check", "FILE"),
    "compat": ("compat", "FILE"),
    "diff, before": ("diff", "FILE", str(GOOD)),
    "diff, after": ("diff", str(GOOD), "FILE"),
    "lock": ("lock", "FILE", "-o", "OUT"),
    "trace": ("trace", "FILE", "2", "-o", "OUT"),
    "resend": ("resend", "FILE", "--yes", "--", "/no/such/server"),
    "mock": ("mock", "FILE", "--no-delay"),
    "test": ("test", "--from-capture", "FILE", "-o", "OUT"),
    "share": ("share", "FILE", "-o", "OUT"),
    "share, only seen": ("share", "FILE", "--dry-run"),
    "verify": ("verify", "FILE"),
    "recover": ("recover", "FILE", "-o", "OUT"),
    "export": ("export", "FILE", "--to", "jsonrpc"),
    "export to HAR": ("export", "FILE", "--to", "har", "-o", "OUT"),
    "export to HTML": ("export", "FILE", "--to", "html", "-o", "OUT"),
    "import": ("import", "FILE", "-o", "OUT"),
    "debug": ("debug", "stats", "FILE"),
}
"""Each command that takes a capture; FILE stands for it, OUT for what is written."""
_CALM = {ExitStatus.OK, ExitStatus.FINDINGS, ExitStatus.USAGE, ExitStatus.UNREACHABLE}
every_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """What no command can read, by what it is."""
    place = tmp_path_factory.mktemp("bad")
    good = GOOD.read_bytes()
    for name, content in {
        "empty": b"",
        "blank": b"\n\n",
        "cut-in-its-head": good[:100],
        "bytes": bytes(range(256)),
        "text": b"hello\n",
        "deep": b"[" * 20_000,
        "no-version": good.replace(b'"v":"1.0"', b'"v":"one"', 1),
        "a-huge-version": good.replace(b'"v":"1.0"', b'"v":"%s.0"' % (b"9" * 5000), 1),
        "a-hostile-version": good.replace(b'"v":"1.0"', b'"v":"7\\u001b[2J\\u202e"', 1),
        "a-head-twisted": good.replace(b'"must":[]', b'"must":{}', 1),
    }.items():
        (place / name).write_bytes(content)
    (place / "a-directory").mkdir()
    (place / "to-itself").symlink_to(place / "to-itself")
    (place / "to-nothing").symlink_to(place / "nothing")
    os.mkfifo(place / "a-FIFO")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(os.path.relpath(place / "a-socket"))  # such names are short
    samples = {name: DIRECTORY / f"{name}.mcpcap" for name, each in EXPECTED.items() if not each.opens}
    yield {path.name: path for path in place.iterdir()} | samples | {"missing": place / "missing"}
    listening.close()


@every_command
def test_commands_refuse_bad_captures_with_advice(command: str, refused: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name, path in refused.items():
        ran = inspect(*_words(command, path, out))
        assert (ran.status, ran.stdout) == (ExitStatus.USAGE, ""), (name, ran.stderr)
        said, _, advice = ran.stderr.partition("\n  → ")
        assert said.startswith(f"✗ {path}"), (name, said)
        assert "mistake" not in said
        assert advice.strip(), name
        assert not _acts(ran.stderr), name
        assert not out.exists(), name


@every_command
def test_commands_read_damaged_captures_as_far_as_possible(command: str, tmp_path: Path) -> None:
    opened = [DIRECTORY / f"{name}.mcpcap" for name, each in EXPECTED.items() if each.opens and name != "huge-line"]
    for number, path in enumerate(opened):
        out = tmp_path / str(number)
        ran = inspect(*_words(command, path, out))
        assert ran.status in _CALM, (path.stem, ran.stderr)
        assert "mistake" not in ran.stderr, path.stem
        assert not _acts(ran.stdout + ran.stderr), path.stem
        assert ran.status == ExitStatus.OK or ran.stderr or ran.stdout, path.stem
        assert ran.status in (ExitStatus.OK, ExitStatus.FINDINGS) or not out.exists(), path.stem


@every_command
def test_a_capture_that_is_cut_anywhere_is_taken_up_to_there(command: str, tmp_path: Path) -> None:
    whole, path = (DIRECTORY / "hostile.mcpcap").read_bytes(), tmp_path / "cut.mcpcap"
    first = whole.index(b"\n")
    for number, size in enumerate(range(first - 150, len(whole), 211)):
        path.write_bytes(whole[:size])
        ran = inspect(*_words(command, path, tmp_path / str(number)))
        assert ran.status == ExitStatus.USAGE or size >= first, (size, ran.stderr)
        assert ran.status in _CALM, (size, ran.stderr)
        assert "mistake" not in ran.stderr, size
        assert not _acts(ran.stdout + ran.stderr), size


def test_cut_at_each_single_byte_it_has_the_entries_before_the_cut(tmp_path: Path) -> None:
    whole, path, out = GOOD.read_bytes(), tmp_path / "cut.mcpcap", tmp_path / "out.mcpcap"
    head = whole.index(b"\n")
    full = load(GOOD)
    entries = [full.store.entry(n) for n in range(1, full.count + 1)]
    full.close()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        if size < head:
            with pytest.raises(CaptureError):
                load(path)
            continue
        journal = load(path)
        lines = whole[:size].count(b"\n")
        readable = lines + (whole[size : size + 1] == b"\n")  # of a line nothing but its end may be missing
        assert [journal.store.entry(n) for n in range(1, journal.count + 1)] == entries[: max(0, readable - 1)]
        journal.close()
        assert verify(path).state is CaptureState.TRUNCATED
        if size == head:
            with pytest.raises(CaptureError, match="nothing to save"):
                recover(path, out)
            continue
        done = recover(path, out, overwrite=True)
        assert (done.records, out.read_bytes()[: done.copied]) == (lines, whole[: done.copied])
        assert verify(out).faults == ()


def test_a_byte_that_was_changed_is_never_called_whole(tmp_path: Path) -> None:
    whole, path = GOOD.read_bytes(), tmp_path / "changed.mcpcap"
    for place in range(whole.index(b',"clean"')):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        try:
            state = verify(path).state
        except CaptureError:
            continue
        assert state is not CaptureState.COMPLETE, place


@every_command
def test_unreadable_capture_reports_the_permission(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "locked.mcpcap"
    path.write_bytes(GOOD.read_bytes())

    def denied(real: Callable[..., Any]) -> Callable[..., Any]:  # whoever runs the tests may be let in everywhere
        def opened(name: Any, *more: Any, **options: Any) -> Any:
            if str(name) == str(path):
                raise PermissionError(13, "Permission denied", name)
            return real(name, *more, **options)

        return opened

    for module in (os, io, builtins):
        monkeypatch.setattr(module, "open", denied(module.open))
    ran = inspect(*_words(command, path, tmp_path / "out"))
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert f"{path} can't be opened: Permission denied" in ran.stderr
    assert "Check the permissions" in ran.stderr


def test_the_interface_refuses_what_it_can_not_read_before_it_draws(refused: dict[str, Path]) -> None:
    for name in ("a-directory", "a-FIFO", "a-socket", "to-itself", "to-nothing", "missing"):
        ran = inspect("replay", str(refused[name]), terminal=True)
        assert (ran.status, ran.stdout) == (ExitStatus.USAGE, ""), name
        assert str(refused[name]) in ran.stderr


def _words(command: str, path: Path, out: Path) -> list[str]:
    return [{"FILE": str(path), "OUT": str(out)}.get(word, word) for word in COMMANDS[command]]


def _acts(text: str) -> bool:
    """Whether there is anything on which a terminal acts."""
    return any(sign in text for sign in ("\x1b", "\x07", "\x9b", "\u202e", "\u2066"))


@pytest.mark.parametrize("command", [name for name, words in COMMANDS.items() if "OUT" in words])
@pytest.mark.parametrize("force", [False, True])
def test_no_command_replaces_the_capture_that_it_reads(command: str, force: bool, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    kept = (FOREIGN / "browser.har").read_bytes() if command == "import" else GOOD.read_bytes()
    file.write_bytes(kept)
    words = [str(file) if word in ("FILE", "OUT") else word for word in COMMANDS[command]]
    ran = inspect(*words, *(["--force"] if force and command not in ("lock", "test") else []))
    assert (ran.status, file.read_bytes()) == (ExitStatus.USAGE, kept)
    assert ran.stderr.count("→") == 1, "it says what to do"
