"""Injects faults into servers, disks, terminals and clocks, and prints the outcome: python -m benchmarks.faults

A row is survived if the program ended by itself with the right exit status, without a mistake of its own, with what was
not broken intact, and in a bounded memory. It exits with 1 where one is not, and takes some minutes; `--small` takes
a minute. The tests run the small variant, row by row (tests/stories/test_faults.py).
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import faults_http, faults_screen
from benchmarks.faulted import Row, Run, breaking, run
from inspector.capture.format.records import Entry
from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.cli.exit_status import ExitStatus
from inspector.protocol.facts import Stderr
from tests.servers.breaking import SCHEMAS

MB = 1_000_000
MOST_MB = 250
"""Memory that the program may need, whatever a server sends, where it need not keep a whole message."""
LIST = ("list", "tools", "--json", "-q", "--era", "legacy", "--timeout", "600")


def _names(ran: Run) -> list[str]:
    """The tools it listed."""
    return [tool["name"] for tool in json.loads(ran.out)["tools"]] if ran.out else []


def stderr_flood(place: Path, small: bool) -> Row:
    """Lines without end on stderr, all of them recorded."""
    size = (10 if small else 1000) * MB
    capture = place / "stderr.mcpcap"
    ran = run((*LIST, "--capture", str(capture), *breaking("stderr", str(size))), place)
    kept = sum(len(entry.what.payload) + 1 for entry in _entries(capture) if isinstance(entry.what, Stderr))
    whole = verify(capture).complete
    capture.unlink()
    figures = f"{ran.figures}; {kept:,} bytes of stderr in the capture, {'verified' if whole else 'NOT whole'}"
    good = ran.status == 0 and ran.is_calm and _names(ran) == ["good"] and kept == size and whole
    return Row(f"{size // MB:,} MB on stderr", figures, good and ran.peak_mb < MOST_MB)


def stdout_flood(place: Path, small: bool) -> Row:
    """Notifications without end, all of them recorded."""
    size = (10 if small else 1000) * MB
    capture = place / "stdout.mcpcap"
    ran = run((*LIST, "--capture", str(capture), *breaking("stdout", str(size))), place)
    verdict = verify(capture)
    capture.unlink()
    figures = (
        f"{ran.figures}; {verdict.frames:,} frames in the capture, {'verified' if verdict.complete else 'NOT whole'}"
    )
    good = ran.status == 0 and ran.is_calm and _names(ran) == ["good"] and verdict.complete
    return Row(f"{size // MB:,} MB of notifications", figures, good and verdict.frames > size // 1000)


def _entries(capture: Path) -> Iterator[Entry]:
    journal = load(capture)
    try:
        yield from (journal.store.entry(n) for n in range(1, journal.count + 1))
    finally:
        journal.close()


def long_line(place: Path, small: bool) -> Row:
    """A line that is long and within the limit."""
    size = (5 if small else 100) * MB
    ran = run((*LIST, *breaking("line", str(size))), place)
    good = ran.status == 0 and ran.is_calm and len(ran.out) > size - 1000
    return Row(f"an answer of {size // MB} MB on one line", f"{ran.figures}; listed", good)


def too_long_line(place: Path, small: bool) -> Row:
    """A line over the limit: whoever waits is told at once; nothing else is lost."""
    size = (20 if small else 1000) * MB
    lowered = ("--max", "message=10M") if small else ()
    ran = run((*LIST, *lowered, *breaking("line", str(size))), place)
    told = "over the limit" in ran.told and "--max message=" in ran.told
    good = ran.is_calm and ran.status == 4 and told and ran.peak_mb < (MOST_MB if small else 700)
    return Row(f"an answer of {size // MB:,} MB on one line", f"{ran.figures}; refused, with the limit's name", good)


def endless_line(place: Path, small: bool) -> Row:
    """Bytes without a line's end, and then a good answer."""
    size = (20 if small else 1000) * MB
    lowered = ("--max", "message=10M") if small else ()
    ran = run((*LIST, *lowered, *breaking("endless", str(size))), place)
    good = ran.status == 0 and ran.is_calm and _names(ran) == ["good"] and ran.peak_mb < (MOST_MB if small else 700)
    return Row(f"{size // MB:,} MB without a line's end, then an answer", f"{ran.figures}; the answer is read", good)


def many_tools(place: Path, small: bool) -> Row:
    """More tools than anybody reads."""
    count = 5_000 if small else 100_000
    ran = run((*LIST, *breaking("tools", str(count))), place)
    good = ran.status == 0 and ran.is_calm and len(_names(ran)) == count
    return Row(f"{count:,} tools on one page", f"{ran.figures}; all listed", good)


def schemas(place: Path, small: bool) -> Row:
    """Each tool's form is made, an argument judged, and the tool called."""
    names = ("exploding", "backtracking") if small else tuple(SCHEMAS)
    value = "a" * 40 + "!"
    given = [word for name in "abcd" for word in ("-a", f"{name}={value}")]
    runs = {
        name: run(("call", name, "--json", "--era", "legacy", *given, *breaking("schemas")), place) for name in names
    }
    slowest = max(runs, key=lambda name: runs[name].seconds)
    peak = max(ran.peak_mb for ran in runs.values())
    figures = f"slowest {runs[slowest].seconds:.1f} s ({slowest}), {peak:.0f} MB; {len(names)} called"
    return Row("schemas that recurse, explode, or backtrack", figures, all(_is_called(ran) for ran in runs.values()))


def _is_called(ran: Run) -> bool:
    return ran.is_calm and ran.status == 0 and ran.seconds < 20 and "result" in json.loads(ran.out)


def full_disk(place: Path, small: bool) -> Row:
    """No file gets longer than a MB: the traffic goes on, and the loss is told."""
    size = (5 if small else 200) * MB
    capture = place / "full.mcpcap"
    words = ("list", "tools", "--json", "--era", "legacy", "--capture", str(capture), *breaking("stdout", str(size)))
    ran = run(words, place, most_file_bytes=MB)
    frames = _readable(capture)
    figures = f"{ran.figures}; listed; the first {frames:,} frames of the capture can be read"
    good = (
        ran.is_calm and ran.status == ExitStatus.CAPTURE and _names(ran) == ["good"] and "can't be written" in ran.told
    )
    return Row("disk full", figures, good and frames > 0)


def _readable(capture: Path) -> int:
    journal = load(capture)
    try:
        return journal.count
    finally:
        journal.close()


def no_place(place: Path, small: bool) -> Row:
    """A capture that can't be made is refused before anything is started."""
    (place / "file").write_text("")
    ran = run((*LIST, "--capture", str(place / "file" / "x.mcpcap"), *breaking("slow", "60")), place)
    return Row("capture directory can't be written", f"{ran.figures}; refused before the start", ran.status == 2)


def server_killed(place: Path, small: bool) -> Row:
    """SIGKILL at every point of the session: it is named, in time, and the capture is whole."""
    points = range(1, 12, 5) if small else range(1, 12)
    slowest, failed, capture = 0.0, list[int](), place / "killed.mcpcap"
    for point in points:
        words = ("call", "good", "--json", "--era", "legacy", "--capture", str(capture), *breaking("dies", str(point)))
        ran = run(words, place)
        told = ran.status == 0 or (ran.status == 4 and "SIGKILL" in ran.told)
        if not (ran.is_calm and told and verify(capture).complete):
            failed.append(point)
        slowest = max(slowest, ran.seconds)
        capture.unlink()
    figures = f"{len(points)} points, slowest {slowest:.1f} s" + (f"; FAILED at {failed}" if failed else "; each told")
    return Row("kill -9 of the server, at every point of a session", figures, not failed)


FAULTS: tuple[Callable[[Path, bool], Row], ...] = (
    *(stderr_flood, stdout_flood, long_line, too_long_line, endless_line, many_tools, schemas),
    *(full_disk, no_place, server_killed),
    *faults_http.FAULTS,
    *faults_screen.FAULTS,
)


def main() -> int:
    """Run all and print the table; 1 if one was not survived."""
    small, failed = "--small" in sys.argv, False
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as place:
            row = fault(Path(place), small)
        print(row, flush=True)
        failed = failed or not row.survived
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
