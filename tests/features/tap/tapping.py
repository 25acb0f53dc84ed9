"""A tap as a real process, with this test as its client."""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE_S

_RUN = "import runpy, sys; sys.path.insert(0, {!r}); runpy.run_module({!r}, run_name='__main__', alter_sys=True)"
TAP = (sys.executable, "-I", "-c", _RUN.format(str(Path(__file__).parents[3]), "inspector.features.tap"))
"""The tap of this checkout, as `-I -m inspector.features.tap`: that would run an installed one."""


class TapProcess:
    """A tap and the ends of its pipes. `stdout` and `stderr` grow with `read`."""

    def __init__(self, child: "subprocess.Popen[bytes]", capture: Path) -> None:  # noqa: TID251
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.child = child
        self.capture = capture
        self.stdin, self._stdout, self._stderr = child.stdin, child.stdout, child.stderr
        self.stdout, self.stderr = b"", b""
        for pipe in (self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)

    def send(self, *lines: bytes) -> None:
        """Write lines to the server."""
        self.stdin.write(b"".join(line + b"\n" for line in lines))
        self.stdin.flush()

    def request(self, id_: int, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode())

    def read(self, condition: Callable[[], object], what: str) -> None:
        """Read both outputs until the condition holds."""
        until(
            lambda: (self._drain(), condition())[1], f"{what}; stdout {self.stdout!r:.300}, stderr {self.stderr!r:.300}"
        )

    def line(self, n: int) -> Any:
        """Message n of those that the server, or the tap, sent; from 0."""
        self.read(lambda: self.stdout.count(b"\n") > n, f"message {n} arrives")
        return json.loads(self.stdout.split(b"\n")[n])

    def ends(self) -> int:
        """Wait for the tap's end; its status as `Popen.returncode` gives it."""
        self.read(lambda: self.child.poll() is not None, "the tap ends")
        self._drain()
        return int(self.child.returncode)

    def records(self) -> list[dict[str, Any]]:
        """What the capture holds by now."""
        lines = self.capture.read_bytes().split(b"\n")[:-1] if self.capture.exists() else []
        return [json.loads(line) for line in lines]

    def server_pid(self) -> int:
        until(lambda: any(each["r"] == "proc" for each in self.records()), "the capture names the server")
        return next(int(each["pid"]) for each in self.records() if each["r"] == "proc")

    def _drain(self) -> bool:
        for name, pipe in (("stdout", self._stdout), ("stderr", self._stderr)):
            if not pipe.closed:
                while data := pipe.read(1 << 20) or b"":
                    setattr(self, name, getattr(self, name) + data)
        return True


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for a condition without an event loop."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain until {what}"
        select.select([], [], [], 0.003)


@contextmanager
def tapped(
    tmp_path: Path,
    *command: str,
    options: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
    launcher: tuple[str, ...] = TAP,
    **popen: Any,
) -> Iterator[TapProcess]:
    """A tap before a server. What lives at the end is killed."""
    capture = tmp_path / f"tap-{os.urandom(3).hex()}.mcpcap"
    argv = [*launcher, "--capture", str(capture), *options, "--", *command]
    pipe = subprocess.PIPE
    environment = os.environ | {"MCP_INSPECT_HOME": str(tmp_path / "own")} | (env or {})
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, **popen) as child:  # noqa: TID251
        tap = TapProcess(child, capture)
        try:
            yield tap
        finally:
            if child.poll() is None:
                child.kill()
            for each in (child.stdin, child.stdout, child.stderr):
                try:
                    if each is not None:
                        each.close()
                except OSError:
                    pass


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that is dead and was not reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")


def small_pipe() -> tuple[int, int]:
    """A pipe that holds one page, both of its ends non-blocking."""
    reader, writer = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    os.kill(pid, number)
