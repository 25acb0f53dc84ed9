"""The relay: every byte in order, however messages are cut, and the exit status of the server."""

import hashlib
import json
import os
import random
import signal
import sys
from pathlib import Path

import pytest

from inspector.capture.format.records import from_line, to_line
from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.features.tap import keeping
from inspector.features.tap.options import Options, UnusableOptions
from inspector.features.tap.recording import RecordingQueue
from inspector.features.tap.relay import AHEAD, FROM_SERVER, READ, TO_SERVER, Flow, Relay
from tests.features.tap.tapping import TAP, TapProcess, is_alive, kill, small_pipe, tapped, until

PYTHON = sys.executable
ECHO = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.buffer.flush()\n"
_PIECES = (
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    b"\xef\xbb\xbf{}\r\n",
    b"\n",
    b"\r\n",
    b"\0\0",
    b"\xff\xfe binary \x80",
    b"banner without an end",
    '{"text":"\u2028 snow \u2603"}\n'.encode(),
    b"x" * 5000,
    b"[1,2]\n",
)


class _Wires:
    """A relay in this process, with both of its parties played by the test."""

    def __init__(self) -> None:
        (host_r, self.host_in), (server_r, server_w) = small_pipe(), small_pipe()
        (out_r, self.server_out), (self.host_out, host_w) = small_pipe(), small_pipe()
        self.server_in = server_r
        self.recording = RecordingQueue()
        flows = {
            TO_SERVER: Flow(TO_SERVER, host_r, server_w, shared=False),
            FROM_SERVER: Flow(FROM_SERVER, out_r, host_w, shared=True),
        }
        self.relay = Relay(Options(["--", "x"]), 0, flows, self.recording)

    def close(self) -> None:
        for flow in self.relay.flows.values():
            flow.end_reading()
            flow.end_writing()
        self.relay.close()
        for fd in (self.host_in, self.server_in, self.server_out, self.host_out):
            try:
                os.close(fd)
            except OSError:
                pass


def _carry(wires: _Wires, seed: int) -> None:
    """Send two hostile streams at once, in random pieces, to readers that read random amounts."""
    chance = random.Random(seed)
    streams = [b"".join(chance.choices(_PIECES, k=chance.randint(1, 6))) for _ in range(2)]
    ways = [(wires.host_in, wires.server_in), (wires.server_out, wires.host_out)]
    sent, got = [0, 0], [bytearray(), bytearray()]
    while any(len(got[way]) < len(streams[way]) for way in (0, 1)):
        for way, (into, out_of) in enumerate(ways):
            if sent[way] < len(streams[way]):
                size = chance.choice((1, 7, 100, 4096, 9000))
                try:
                    sent[way] += os.write(into, streams[way][sent[way] : sent[way] + size])
                except BlockingIOError:
                    pass
            if chance.random() < 0.6 or sent[way] == len(streams[way]):
                try:
                    got[way] += os.read(out_of, chance.choice((1, 50, 5000, 65536)))
                except BlockingIOError:
                    pass
        wires.relay.step(0)
    for way in (0, 1):
        assert hashlib.sha256(got[way]).digest() == hashlib.sha256(streams[way]).digest(), f"seed {seed}, way {way}"


@pytest.mark.parametrize("block", range(10))
def test_ten_thousand_ways_to_cut_hostile_streams_change_no_byte(block: int) -> None:
    wires = _Wires()
    try:
        for seed in range(block * 1000, block * 1000 + 1000):
            _carry(wires, seed)
            while wires.recording.waiting:
                wires.recording.take(0)
    finally:
        wires.close()


def test_a_reader_that_does_not_read_stops_the_writer() -> None:
    wires = _Wires()
    try:
        taken = 0
        for _ in range(4 * (AHEAD + READ) // 4096):
            try:
                taken += os.write(wires.host_in, b"x" * 4096)
            except BlockingIOError:
                pass
            wires.relay.step(0)
        assert taken <= AHEAD + READ + 3 * 4096
        assert wires.relay.flows[TO_SERVER].size <= AHEAD + READ
    finally:
        wires.close()


def test_partial_lines_flow_without_waiting_for_their_end() -> None:
    wires = _Wires()
    try:
        os.write(wires.server_out, b"Password: ")
        wires.relay.step(0)
        assert os.read(wires.host_out, 100) == b"Password: "
    finally:
        wires.close()


def test_a_full_queue_loses_the_record_and_not_the_message() -> None:
    recording = RecordingQueue(budget=1000)
    for _ in range(20):
        recording.chunk("c2s", b"x" * 99 + b"\n", 1, 1)
        recording.forwarded(1)
    assert recording.lost_bytes > 0
    while recording.waiting:
        recording.take(0)
    recording.chunk("c2s", b"y\n", 2, 2)
    recording.forwarded(2)
    kinds = list(iter(lambda: recording.take(0), None))
    assert [item[0] for item in kinds if item] == ["gap", "chunk"]
    assert kinds[0] is not None
    assert kinds[0][2][:2] == [recording.lost_bytes // 100, recording.lost_bytes]


def test_a_queue_that_starts_at_its_beginning_again_has_room_for_its_whole_budget() -> None:
    recording, data = RecordingQueue(budget=8_000_000), b"x" * 500_000
    for time in range(37):
        recording.chunk("c2s", data, time, time)
        recording.forwarded(time)
        if time < 24:
            assert recording.take(0)
    assert (recording.lost_bytes, recording.waiting // len(data)) == (0, 13)


def test_everything_is_delivered_and_recorded(tmp_path: Path) -> None:
    hostile = b"".join(_PIECES) * 40 + b"z" * 3_000_000 + b"\nno end"
    with tapped(
        tmp_path, PYTHON, "-c", "import sys,shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"
    ) as tap:
        os.set_blocking(tap.stdin.fileno(), False)
        left = memoryview(hostile)
        while left:
            try:
                left = left[os.write(tap.stdin.fileno(), left) :]
            except BlockingIOError:
                pass
            tap.read(lambda: True, "bytes arrive")
        tap.stdin.close()
        assert tap.ends() == 0
        assert hashlib.sha256(tap.stdout).digest() == hashlib.sha256(hostile).digest()
    verdict = verify(tap.capture)
    assert (verdict.faults, verdict.state, verdict.covered, verdict.edited) == ((), "complete", verdict.frames, 0)
    for line in tap.capture.read_bytes().splitlines(keepends=True):
        assert to_line(from_line(line)) == line or b'"raw"' in line, "what the tap writes is what the format says"
    assert tap.records()[0]["mode"] == "stdio-proxy"
    assert tap.capture.stat().st_mode & 0o777 == 0o600


def test_stderr_is_passed_on_byte_for_byte(tmp_path: Path) -> None:
    said = b"a line\n\xff\xfe\0 half a line" + b"e" * 100_000
    code = f"import sys; sys.stderr.buffer.write({said[:30]!r} + b'e' * 100000); sys.stderr.flush()"
    with tapped(tmp_path, PYTHON, "-c", code) as tap:
        tap.ends()
        assert tap.stderr == said[:30] + b"e" * 100_000
        recorded = [each for each in tap.records() if each["r"] == "err"]
        assert recorded[0]["raw"] == "a line"


def test_an_inherited_stderr_is_the_same_file(tmp_path: Path) -> None:
    code = "import os, sys; print(os.fstat(2).st_ino, flush=True)"
    with tapped(tmp_path, PYTHON, "-c", code, options=("--stderr", "inherit")) as tap:
        inode = os.fstat(tap.child.stderr.fileno()).st_ino  # type: ignore[union-attr]
        tap.ends()
        assert int(tap.stdout) == inode


def test_the_server_gets_the_clients_environment_and_limits(tmp_path: Path) -> None:
    code = (
        "import os, resource, signal, sys\n"
        "print(sorted(os.environ), os.getcwd(), os.umask(0), resource.getrlimit(resource.RLIMIT_NOFILE),\n"
        "  [open('/proc/self/status').read().split(name)[1].split()[0] for name in ('SigIgn:', 'SigBlk:')],\n"
        "  os.listdir('/proc/self/fd'))\n"
    )
    import subprocess

    env = {"PATH": os.environ["PATH"], "PYTHONPATH": "/nowhere", "LANG": "C", "MCP_INSPECT_HOME": str(tmp_path / "own")}
    argv = [PYTHON, "-I", "-c", code]
    options = {"env": env, "cwd": tmp_path, "umask": 0o027, "stdin": subprocess.PIPE, "timeout": 60}
    direct = subprocess.run(argv, capture_output=True, check=True, **{**options, "input": b"", "stdin": None})  # type: ignore[call-overload]
    del options["stdin"]
    through = subprocess.run([*TAP, "--", *argv], capture_output=True, check=True, input=b"", **options)  # type: ignore[call-overload]
    assert through.stdout == direct.stdout
    assert through.stderr == direct.stderr


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import sys; sys.exit(0)", 0),
        ("import sys; sys.exit(7)", 7),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    ],
)
def test_the_tap_ends_as_the_server_ended(tmp_path: Path, code: str, status: int) -> None:
    with tapped(
        tmp_path, PYTHON, "-c", "import sys; sys.stdout.write('last words'); sys.stdout.flush()\n" + code
    ) as tap:
        assert tap.ends() == status, "even while the client's stdin stays open"
        assert tap.stdout == b"last words"
        assert [each for each in tap.records() if each["r"] == "end"], "the capture was closed"
        how = f"exited with code {status}" if status >= 0 else f"was ended by {signal.Signals(-status).name}"
        assert f"the server {how} after" in _why_of(tap)


def _why_of(tap: TapProcess) -> str:
    """Why the connection ended, which only an end of the server by itself has."""
    (closed,) = (each for each in tap.records() if each["r"] == "conn" and each["ev"] == "close")
    return str(closed.get("why", ""))


def test_a_server_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with tapped(tmp_path, "no-such-server") as tap:
        assert tap.ends() == 127
        assert tap.stdout == b""
        assert tap.stderr == b"mcp-tap: no-such-server: No such file or directory\n"


def test_the_end_of_the_clients_stream_reaches_the_server(tmp_path: Path) -> None:
    code = "import sys; sys.stdin.read(); sys.stdout.write('after the end'); sys.stdout.flush(); sys.exit(3)"
    with tapped(tmp_path, PYTHON, "-c", code) as tap:
        tap.stdin.close()
        assert tap.ends() == 3
        assert tap.stdout == b"after the end"
        assert _why_of(tap) == "", "the client had left"


def test_a_client_that_stops_reading_breaks_the_servers_pipe(tmp_path: Path) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 1000 + chr(10)); sys.stdout.flush()"
    with tapped(tmp_path, PYTHON, "-c", "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n" + code) as tap:
        tap.read(lambda: tap.stdout, "the server writes")
        tap._stdout.close()
        assert tap.ends() == -signal.SIGPIPE
        assert _why_of(tap) == "", "the client had left"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_is_forwarded_once(tmp_path: Path, number: signal.Signals) -> None:
    code = (
        "import signal, sys\n"
        "import os\n"
        "def told(number, frame): os.write(1, b'%d\\n' % number)\n"
        f"signal.signal({int(number)}, told)\n"
        "os.write(1, b'ready\\n')\n"
        "sys.stdin.read()\n"
    )
    with tapped(tmp_path, PYTHON, "-c", code, start_new_session=True) as tap:
        tap.read(lambda: b"ready" in tap.stdout, "the server is ready")
        os.killpg(tap.child.pid, number)
        tap.read(lambda: str(int(number)).encode() in tap.stdout, "the signal arrives")
        tap.stdin.close()
        assert tap.ends() == 0
        assert tap.stdout == b"ready\n%d\n" % number
        assert _why_of(tap) == ""


_STUBBORN = (
    "import os, signal, sys, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "child = os.fork()\n"
    "print(os.getpid(), child, flush=True) if child else None\n"
    "while True: time.sleep(60)\n"
)


@pytest.mark.parametrize("way", ["tap", "tap and reaper", "group"])
def test_a_tap_that_is_killed_leaves_nothing_behind(tmp_path: Path, way: str) -> None:
    code = (
        _STUBBORN
        if way != "tap and reaper"
        else ECHO.replace("import sys", "import os, sys; print(os.getpid(), os.getpid(), flush=True)", 1)
    )
    with tapped(tmp_path, PYTHON, "-c", code, start_new_session=True) as tap:
        tap.read(lambda: b"\n" in tap.stdout, "the server says who it is")
        pids = [int(word) for word in tap.stdout.split()]
        assert all(map(is_alive, pids))
        if way == "tap and reaper":
            reapers = Path(f"/proc/{tap.child.pid}/task/{tap.child.pid}/children").read_text().split()
            for pid in map(int, reapers):
                if pid not in pids:
                    kill(pid)
        if way == "group":
            os.killpg(tap.child.pid, signal.SIGKILL)
        else:
            kill(tap.child.pid)
        tap.stdin.close()
        until(lambda: not any(map(is_alive, pids)), "no process of the server lives")
        assert tap.ends() == -signal.SIGKILL


def test_a_server_that_ends_well_gets_one_signal_when_the_tap_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = (
        "import os, signal, time\n"
        f"def end(*_):\n    open({str(told)!r}, 'a').write('x')\n    time.sleep(0.05)\n    os._exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print(os.getpid(), flush=True)\n"
        "while True: time.sleep(60)\n"
    )
    with tapped(tmp_path, PYTHON, "-c", code) as tap:
        tap.read(lambda: b"\n" in tap.stdout, "the server says who it is")
        kill(tap.child.pid)
        until(lambda: not is_alive(int(tap.stdout)), "the server has ended")
    assert told.read_text() == "x"


def test_a_grandchild_that_holds_stdout_does_not_keep_the_tap(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\nchild = os.fork()\nif not child: time.sleep(600)\nprint(child, flush=True)\nos._exit(4)"
    )
    with tapped(tmp_path, PYTHON, "-c", code) as tap:
        assert tap.ends() == 4
        pid = int(tap.stdout)
        until(lambda: not is_alive(pid), "the grandchild is ended")


def test_a_wrapper_that_keeps_signals_to_itself_is_ended_with_its_server(tmp_path: Path) -> None:
    code = f"trap '' TERM INT; {PYTHON} -c 'import os, time; print(os.getpid(), flush=True); time.sleep(600)' & wait"
    with tapped(tmp_path, "sh", "-c", code) as tap:
        tap.read(lambda: b"\n" in tap.stdout, "the server says who it is")
        pid = int(tap.stdout)
        kill(tap.child.pid)
        until(lambda: not is_alive(pid), "the server is ended")


@pytest.mark.parametrize("way", ["a directory", "no such place"])
def test_a_capture_that_cant_be_written_does_not_stop_the_traffic(tmp_path: Path, way: str) -> None:
    path = str(tmp_path) if way == "a directory" else "/proc/no/such/place.mcpcap"
    with tapped(tmp_path, PYTHON, "-c", ECHO, options=("--capture", path)) as tap:
        tap.send(b'{"a":1}')
        assert tap.line(0) == {"a": 1}
        tap.stdin.close()
        if way == "a directory":
            assert (tap.ends(), tap.stderr) == (0, b"")
        else:
            assert tap.ends() == 8
            assert tap.stderr.startswith(b"mcp-tap: the capture /proc/no/such/place.mcpcap can't be written: ")


def test_a_broken_installation_starts_the_server_all_the_same(tmp_path: Path) -> None:
    broken = (
        "import sys; sys.modules['inspector.features.tap.relay'] = None; sys.argv[0] = 'mcp-tap'\n"
        "from inspector.features.tap.__main__ import main; main()"
    )
    with tapped(tmp_path, PYTHON, "-c", ECHO, launcher=(PYTHON, "-I", "-c", broken)) as tap:
        tap.send(b'{"a":1}')
        assert tap.line(0) == {"a": 1}
        tap.stdin.close()
        assert tap.ends() == 0
        assert tap.stderr.startswith(b"mcp-tap: not recorded, the server runs without the tap: ")


def test_only_what_is_needed_is_imported_before_the_server_starts() -> None:
    import subprocess

    code = "import sys, inspector.features.tap.relay; print(*sys.modules)"
    told = subprocess.run([PYTHON, "-I", "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert not {"msgspec", "json", "socket", "asyncio", "threading", "subprocess", "typing", "re", "click"} & set(told)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["node", "x"], "after --"),
        (["--"], "is empty"),
        (["--host-timeout", "soon", "--", "x"], "'soon'"),
        (["--stderr", "loud", "--", "x"], "--stderr loud"),
        (["--label", "x", "--loud", "--", "x"], "--loud"),
        (["--keep", "much", "--", "x"], "'much'"),
        (["--keep", "10", "--", "x"], "at least 100k"),
    ],
)
def test_options_that_make_no_sense_are_refused(argv: list[str], said: str) -> None:
    with pytest.raises(UnusableOptions, match=said):
        Options(argv)


def test_options_are_read() -> None:
    options = Options(["--label=x", "--host-timeout", "3s", "--", "node", "--", "y"])
    assert (options.label, options.host_timeout, options.command) == ("x", 3.0, ["node", "--", "y"])


# What stays at the end

FAILED = b'{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}'


def _answering(response: bytes, status: int = 0) -> str:
    return f"import sys\nfor line in sys.stdin: print({response.decode()!r}, flush=True)\nsys.exit({status})"


def _exchange(tap: TapProcess) -> None:
    tap.request(2, "tools/call", name="made")
    tap.line(0)
    tap.stdin.close()


@pytest.mark.parametrize("response", [FAILED, b'{"jsonrpc":"2.0","id":2,"result":{"content":[]}}'])
def test_a_capture_is_kept_only_where_a_message_matches(tmp_path: Path, response: bytes) -> None:
    with tapped(tmp_path, PYTHON, "-c", _answering(response), options=("--keep-on", "failed")) as tap:
        _exchange(tap)
        assert tap.ends() == 0
        if response == FAILED:
            assert keeping.remove_unless("failed", [tap.capture]) is False
        until(lambda: tap.capture.exists() is (response == FAILED), "the capture is kept, or removed")
        assert tap.stderr == b""


@pytest.mark.parametrize(("filter_", "status"), [("error.code == -32000", 1), ("error.code == -32001", 0), ("(", 1)])
def test_a_message_that_matches_makes_the_tap_fail(tmp_path: Path, filter_: str, status: int) -> None:
    with tapped(tmp_path, PYTHON, "-c", _answering(FAILED), options=("--fail-on", filter_)) as tap:
        _exchange(tap)
        assert tap.ends() == status
        assert bool(tap.stderr) is bool(status)
        assert str(tap.capture).encode() in tap.stderr or filter_ != "error.code == -32000"


def test_the_status_of_a_server_that_failed_itself_stays(tmp_path: Path) -> None:
    with tapped(tmp_path, PYTHON, "-c", _answering(FAILED, 7), options=("--fail-on", "error")) as tap:
        _exchange(tap)
        assert tap.ends() == 7
        assert b"--fail-on 'error'" in tap.stderr


def test_only_the_newest_messages_are_kept_with_the_opening(tmp_path: Path) -> None:
    with tapped(tmp_path, PYTHON, "-c", ECHO, options=("--keep", "200k")) as tap:
        tap.request(1, "initialize", protocolVersion="2025-06-18")
        for number in range(2, 1000):
            tap.send(b'{"jsonrpc":"2.0","method":"notifications/n%d","params":{"pad":"%b"}}' % (number, b"x" * 1000))
            tap.line(number - 1)
        tap.stdin.close()
        assert tap.ends() == 0
    earlier, newest = keeping.parts(tap.capture)
    assert newest == tap.capture
    for part in (earlier, newest):
        assert part.stat().st_size < 120_000
        journal = load(part)
        assert journal.conversation.exchanges[1].method == "initialize"
        assert any("--keep leaves out" in notice for notice in journal.notices)
        journal.close()
    kept = earlier.read_bytes() + newest.read_bytes()
    assert b"notifications/n999" in kept
    assert b"notifications/n50" not in kept


def test_a_line_over_the_limit_is_recorded_by_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspector.capture.format.file import CaptureFile, create
    from inspector.capture.format.records import Head
    from inspector.capture.format.writer import Recorder
    from inspector.features.tap import writing

    monkeypatch.setattr(writing, "LIMIT", 1000)
    monkeypatch.setattr(writing, "KEPT", 10)
    path = tmp_path / "x.mcpcap"
    recorder = Recorder(CaptureFile(create(path), path), Head(format="mcpcap", v="1.0", mode="stdio-proxy"))
    encoder = writing.Encoder(recorder, 1)
    recording = RecordingQueue()
    for piece in (b"a" * 900, b"a" * 900, b"\nshort\n"):
        recording.chunk("c2s", piece, 1, 1)
        recording.forwarded(1)
    while recording.waiting:
        item = recording.take(0)
        assert item is not None
        encoder.item(item)
    recorder.close()
    frames = [json.loads(line) for line in path.read_bytes().splitlines() if b'"r":"frame"' in line]
    assert [(frame["raw"], frame.get("cut", 0)) for frame in frames] == [("a" * 10, 1790), ("short", 0)]
