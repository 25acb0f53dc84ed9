"""The session that all samples in tests/captures/foreign contain, and a reader for them."""

from pathlib import Path

from inspector.capture.import_.importing import Imported, import_file
from inspector.capture.import_.readers import READERS
from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.protocol.facts import ConnectionFact, Stderr
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Notification, NotJsonRpc, Request, read
from tests.architecture.sources import ROOT
from tests.entries import kept

FOREIGN = (ROOT / "tests") / "captures" / "foreign"
OUT, BACK = Direction.TO_SERVER, Direction.FROM_SERVER
SESSION = [
    (OUT, "initialize"),
    (BACK, 1),
    (OUT, "notifications/initialized"),
    (OUT, "tools/call"),
    (BACK, "roots/list"),
    (OUT, 1),
    (BACK, 2),
]


def imported(name: str | Path, tmp_path: Path) -> tuple[Journal, Imported]:
    """A sample, or a file at an absolute path, as the capture that it becomes."""
    out = tmp_path / "out.mcpcap"
    told = import_file(FOREIGN / name, out)
    return load(out), told


def messages(journal: Journal) -> list[tuple[Direction, str | int | None]]:
    """Each message: who sent it, and its method or whose answer it is."""
    found: list[tuple[Direction, str | int | None]] = []
    for frame in frames(journal):
        for message in read(frame.payload):
            if isinstance(message, Request | Notification):
                found.append((frame.direction, message.method))
            elif not isinstance(message, NotJsonRpc):
                found.append((frame.direction, message.id))
    return found


def frames(journal: Journal) -> list[Frame]:
    """All frames."""
    return kept(journal, Frame)


def stderr(journal: Journal) -> list[bytes]:
    return [line.payload for line in kept(journal, Stderr)]


def connection(journal: Journal) -> ConnectionFact:
    """What it was connected to."""
    assert journal.connection is not None
    return journal.connection


def read_text(tmp_path: Path, format_: str, text: bytes) -> tuple[Journal, Imported]:
    """A file of this content, read as that format."""
    file, out = tmp_path / "in", tmp_path / "out.mcpcap"
    file.write_bytes(text)
    told = import_file(file, out, name=format_, overwrite=True)
    assert told.reader is READERS[format_]
    return load(out), told
