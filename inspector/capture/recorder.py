"""The recorder: entries in, lines of a capture out, with the digests between and the last line at the end."""

from collections import Counter

from inspector.capture.digests import Digests
from inspector.capture.entries import Entry, record_of
from inspector.capture.file import LOST, CaptureFile
from inspector.capture.records import EndRecord, Head, SumRecord, to_line
from inspector.capture.runs import Run, StderrRun
from inspector.capture.store import size_of
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Direction, Frame


class Recorder:
    """Writes a capture from its head to its end."""

    def __init__(self, file: CaptureFile, head: Head) -> None:
        self.file = file
        self._connections = 0
        self._origins = _origins(head.mode)
        self._vouches = head.mode != "import"
        """Whether the bytes come from the wire: of others no digest is taken, for it would vouch for nothing."""
        self._digests = Digests()
        self._counts: Counter[str] = Counter(head=1)
        file.put(to_line(head))

    def keep(self, entry: Entry) -> tuple[int, int]:
        """Write an entry; the place and the length of its line. The place is LOST if the disk fails for long."""
        what = entry.what
        if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN:
            self._connections += 1
        origin = self._origins[what.direction] if isinstance(what, Frame) else ""
        record = record_of(entry, c=self._connection, origin=origin)
        line = to_line(record)
        place = self.file.put(line, entry.time_ns, size=size_of(what))
        if place != LOST:
            self._counts[str(record.__struct_config__.tag)] += 1
        if self._vouches and isinstance(what, Frame) and self._digests.take(what):
            self._sum(self._digests.sum(what.direction, what.channel, self._connection))
        return place, len(line)

    def keep_run(self, run: Run | StderrRun) -> tuple[list[int], list[int]]:
        """Write a run; the places and the lengths of its lines."""
        if isinstance(run, StderrRun):
            lines = run.records(c=self._connection)
            places = self.file.put_run(lines, run.time_ns, run.sizes)
            self._counts["err"] += len(places) - places.count(LOST)
            return places, list(map(len, lines))
        lines = run.records(c=self._connection, origin=self._origins[run.direction])
        places = self.file.put_run(lines, run.time_ns, run.sizes)
        self._counts["frame"] += len(places) - places.count(LOST)
        if self._digests.take_run(run):
            self._sum(self._digests.sum(run.direction, run.channel, self._connection))
        return places, list(map(len, lines))

    def close(self) -> None:
        """Write the last digests and the last line, and close the file."""
        if not self.file.open:
            return
        for record in self._digests.rest(self._connection):
            self._sum(record)
        self.file.close(lambda sha256: EndRecord(counts=dict(self._counts), sha256=sha256))

    @property
    def _connection(self) -> str:
        return f"c{max(1, self._connections)}"

    def _sum(self, record: SumRecord) -> None:
        if self.file.put(to_line(record)) != LOST:
            self._counts["sum"] += 1


def _origins(mode: str) -> dict[Direction, str]:
    """Who makes the frames of each direction."""
    client = "host" if mode.endswith("proxy") or mode in ("mock", "import") else "inspector"
    server = "mock" if mode == "mock" else "server"
    return {Direction.TO_SERVER: client, Direction.FROM_SERVER: server}
