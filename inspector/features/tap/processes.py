"""The processes of a tap: the server in its own group, and the reaper.

The reaper records the traffic, and ends the server's group once the tap has ended for any reason.
"""

import errno
import os
import signal
import time
from _thread import allocate_lock, start_new_thread

from inspector.transports.own_status import own_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from inspector.features.tap.options import Options
    from inspector.features.tap.recording import RecordingQueue

    Record = Callable[[Options, RecordingQueue, "ServerProcess"], None]

_GRACE_S = 1.0
"""Seconds between SIGTERM and SIGKILL for the server's group."""


def start_time(pid: int) -> str:
    """Return the start time of a process in kernel units; "" if it has ended or the system does not provide it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


class ServerProcess:
    """The server, as the reaper knows it."""

    def __init__(self, pid: int, started: str, client: int, tm: int, tw: int) -> None:
        self.pid = pid
        self.started = started
        """Start time in kernel units; "" if the system does not provide it."""
        self.client = client
        """Process id of the client."""
        self.tm = tm
        self.tw = tw


def fork_reaper(options: "Options", recording: "RecordingQueue", record: "Record") -> int:
    """Start the reaper and return its lifeline descriptor once it is out of reach of the client's signals.

    Only this process may hold the descriptor: the reaper waits for it to be closed. It records until then.
    """
    their, ours = os.pipe()
    reports, report = os.pipe()
    client = os.getppid()
    ready_r, ready_w = os.pipe()
    if os.fork():
        os.close(their)
        os.close(ready_w)
        os.close(report)
        recording.produce(ours, reports)
        os.read(ready_r, 1)  # a group that is killed at once would take the reaper with it
        os.close(ready_r)
        return ours
    try:
        options.inherited = own_status()
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        os.setsid()  # a signal to the client's group ends the tap but must not end the reaper
        os.write(ready_w, b"r")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nowhere, fd)
        for name in os.listdir("/dev/fd"):
            if int(name) > 2 and int(name) not in (their, report):
                try:
                    os.close(int(name))
                except OSError:
                    pass
        _outlive(their, report, client, options, recording, record)
    finally:
        os._exit(0)


def _outlive(
    lifeline: int, report: int, client: int, options: "Options", recording: "RecordingQueue", record: "Record"
) -> None:
    """Record until the tap has ended, and end the server's group as soon as it has."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(lifeline, 1)
        if not piece:
            return  # no server was started
        line += piece
    pid, started, tm, tw = line.decode().strip("\n").split(" ")
    server = ServerProcess(int(pid), started, client, int(tm), int(tw))
    reaped = allocate_lock()
    reaped.acquire()

    def end_server() -> None:
        try:
            _reap(server.pid, server.started)
        finally:
            reaped.release()

    recording.consume(lifeline, report, lambda: start_new_thread(end_server, ()))
    try:
        record(options, recording, server)
    finally:
        os.close(report)
        recording.await_end()
        reaped.acquire()


def _reap(group: int, started: str) -> None:
    now = start_time(group)
    if started and now and now != started:
        return  # the process id belongs to another process now
    signal_group(group, signal.SIGTERM)
    end = time.monotonic() + _GRACE_S
    while _alive(group) and time.monotonic() < end:
        time.sleep(0.02)
    signal_group(group, signal.SIGKILL)


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if it still exists."""
    try:
        os.killpg(group, number)
    except OSError:
        pass


def _spawn(command: list[str], in_r: int, out_w: int, err_w: int) -> int:
    """Start the server in its own process group. Raises: OSError.

    Uses fork and exec, because posix_spawn of glibc leaves two signals ignored in the server.
    """
    failed_r, failed_w = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setpgid(0, 0)
            for fd, place in ((in_r, 0), (out_w, 1), (err_w, 2)):
                os.dup2(fd, place)
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(command[0], command, own_environment())
        except OSError as error:
            os.write(failed_w, b"%d" % (error.errno or errno.EIO))
        except ValueError:  # a NUL in the command
            os.write(failed_w, b"%d" % errno.EINVAL)
        finally:
            os._exit(127)
    os.close(failed_w)
    failed = os.read(failed_r, 20)
    os.close(failed_r)
    if failed:
        os.waitpid(pid, 0)
        raise OSError(int(failed), os.strerror(int(failed)))
    return pid


def spawned(command: list[str], *pipes: int) -> int:
    """Return the server's process id; exit if it can't be started."""
    try:
        return _spawn(command, *pipes)
    except OSError as error:
        os.write(2, f"mcp-tap: {command[0]}: {error.strerror}\n".encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def end_like(status: int) -> "NoReturn":
    """Exit with the server's status, or by the same signal."""
    number = status & 0x7F
    if number:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
        time.sleep(1)
    os._exit(status >> 8)


def own_environment() -> dict[bytes, bytes]:
    """Return the environment as the client set it: Python adds LC_CTYPE to its own if the locale is C (PEP 538)."""
    try:
        with open("/proc/self/environ", "rb") as file:
            pairs = file.read().split(b"\0")
    except OSError:
        return dict(os.environb)
    found: dict[bytes, bytes] = {}
    for pair in pairs:
        name, equals, value = pair.partition(b"=")
        if equals:
            found.setdefault(name, value)
    return found
