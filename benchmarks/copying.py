"""Time to verify, recover and share a capture, compared with reading and hashing its lines as a lower bound.

Of 4 GB (1,724,000 entries, a quarter of them text of 8 kB) `verify` and `recover` took 14 and 12 s with 30 MB, `share`
some minutes with 40 MB, whatever the number of secrets: a line that can have none costs about 25 us in three passes,
one that has some a few hundred. `export`, `tail` and `check` hold the index as well: 120 to 180 MB.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import captures
from inspector.capture.format.lines import blocks, read_at
from inspector.capture.format.records import from_line
from inspector.capture.format.verify import recover, verify
from inspector.capture.journal import start_capture
from inspector.features.share.share import ShareRequest, Sharing
from inspector.protocol.frames import Channel, Direction, Eol

SECRETS = 500
"""Of which one stands in an answer of its own, and in every tenth of the others in turn."""


def make(path: Path, frames: int) -> None:
    """A mixed capture with secrets in it, each told by the name beside it in one message alone."""
    captures.make(path, frames)
    whole = path.with_name("plain.mcpcap")
    path.rename(whole)
    journal = start_capture(path)
    for number in range(SECRETS):
        told = f'{{"id":{number},"result":{{"api_key":"{_secret(number)}"}}}}'
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, told.encode(), eol=Eol.LF)
    journal.close()
    *lines, _ = path.read_bytes().splitlines(keepends=True)
    with whole.open("rb") as file, path.open("wb") as out:
        out.writelines([file.readline(), *lines[1:]])
        for number, line in enumerate(file):
            if b'"r":"frame"' in line:
                secret = _secret(number // 100 % SECRETS).encode()
                out.write(line.replace(b"step 1 of many", b"step 1, " + secret) if number % 100 < 10 else line)
    whole.unlink()


def floor_s(path: Path) -> float:
    """The processor's seconds to read each line as a record and to hash it."""

    def run() -> None:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            for block in blocks(lambda place, length: read_at(file.fileno(), place, length)):
                for line in block.lines:
                    from_line(line)
                    digest.update(line)

    return _spent(run)


def verify_s(path: Path) -> float:
    """The same to verify it: it has no end."""
    return _spent(lambda: _demand(not verify(path).complete))


def recover_s(path: Path) -> float:
    """The same to save what is there."""
    out = path.with_name("saved.mcpcap")
    return _spent(lambda: _demand(recover(path, out, overwrite=True).line is None))


def share_s(path: Path) -> tuple[float, int, int]:
    """The same to share it; how many values were replaced, and how many secrets are in the copy by another look."""
    out = path.with_name("shared.mcpcap")
    sharing = Sharing(path, ShareRequest(b"a key of some bytes"))
    replaced = 0

    def run() -> None:
        nonlocal replaced
        sharing.learn()
        replaced = sharing.write(out, overwrite=True).replaced

    try:
        spent = _spent(run)
    finally:
        sharing.close()
    copy = out.read_bytes()
    return spent, replaced, sum(_secret(number).encode() in copy for number in range(SECRETS))


def _secret(number: int) -> str:
    return f"key-{number * 7919 % 100_000:05}-{hashlib.sha256(bytes([number % 256])).hexdigest()[:12]}"


def _spent(run: Callable[[], None]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def _demand(fact: bool) -> None:
    assert fact
