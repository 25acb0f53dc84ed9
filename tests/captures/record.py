"""The samples in this directory, and the command that records them anew: `python -m tests.captures.record`.

They are the same to the byte at each recording, so a difference in git is a change of the format. Read them in
tests through `sample(NAME)`.
"""

from pathlib import Path

from inspector.capture.file import CaptureFile
from inspector.capture.opening import create
from tests.capture.recording import http_life, life, over

HERE = Path(__file__).parent
_LIVES = {"handshake": life, "stateless": http_life}
_TORN_AT = -500
"""Where the torn sample ends, seen from the end of the whole one: in the middle of a record."""


def sample(name: str) -> Path:
    """The file of a sample: "handshake" over stdio, "stateless" over HTTP, or "torn"."""
    return HERE / f"{name}.mcpcap"


def record(directory: Path) -> None:
    """Write all samples into a directory, over what is there."""
    for name, live in _LIVES.items():
        path = directory / f"{name}.mcpcap"
        journal = over(CaptureFile(create(path, overwrite=True), path))
        live(journal)
        journal.close()
    whole = (directory / "handshake.mcpcap").read_bytes()
    (directory / "torn.mcpcap").write_bytes(whole[:_TORN_AT])


if __name__ == "__main__":
    record(HERE)
