"""Running `mcp-inspect` as a person or a script does: a process of its own, with words, streams and an exit status."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.config.targets import StdioTarget, Target
from inspector.protocol.frames import Direction
from tests.stories.visits import Seen, seen
from tests.waiting import PATIENCE_S

PROGRAM = (sys.executable, "-m", "inspector")
"""What starts mcp-inspect."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that has ended."""

    status: int
    stdout: bytes
    stderr: bytes
    capture: Path

    @property
    def json(self) -> Any:
        """The JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def messages(self) -> str:
        """The text on stderr."""
        return self.stderr.decode()

    @property
    def result_text(self) -> str:
        """The text of the result on stdout; the command has succeeded."""
        assert self.status == 0, self.messages
        return "\n".join(block["text"] for block in self.json["result"]["content"])

    @property
    def error(self) -> Any:
        """The error that stderr's last line is, with --json."""
        return json.loads(self.stderr.splitlines()[-1])["error"]

    @property
    def seen(self) -> Seen:
        """The contents of the capture; it is complete, and digests cover every frame."""
        verdict = verify(self.capture)
        assert (verdict.complete, verdict.faults) == (True, ())
        assert verdict.covered == verdict.frames
        journal = load(self.capture)
        try:
            return seen(journal, with_rows=False)
        finally:
            journal.close()

    def received(self) -> list[bytes]:
        """The payloads from the server, in order."""
        return [frame.payload for frame in self.seen.frames if frame.direction is Direction.FROM_SERVER]


def words_of(target: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How a target is named on the command line: the words before, and those after everything else."""
    if isinstance(target, StdioTarget):
        given = [word for name, value in target.environment.values.items() for word in ("-e", f"{name}={value}")]
        return tuple(given), ("--", *target.argv)
    return (("--transport", "sse") if target.legacy_sse else ()), (target.url,)


def environment(place: Path) -> dict[str, str]:
    """What the program gets: a home of its own, and nothing of whoever runs the tests.

    In a test whose place is `tmp_path` it is the home by which a forgotten process is found.
    """
    home = place / "home"
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "MCP_INSPECT_HOME": str(place / "mcp-inspect")}


async def mcp_inspect(*words: str, place: Path, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> Ran:
    """Run it in `place` and wait for its end; what crosses is recorded. It gets `variables` beside its home."""
    capture = _free(place)
    recording = ("--capture", str(capture))
    async with started(*words[:1], *recording, *words[1:], place=place, variables=variables) as process:
        out, err = await asyncio.wait_for(process.communicate(stdin), PATIENCE_S)
        assert process.returncode is not None
    return Ran(process.returncode, out, err, capture)


@asynccontextmanager
async def started(
    *words: str, place: Path, variables: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run it; it is gone at the end of the block."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(*PROGRAM, *words), stdin=pipe, stdout=pipe, stderr=pipe, env=environment(place) | dict(variables or {})
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def _free(place: Path) -> Path:
    taken = len(list(place.glob("*.mcpcap")))
    return place / f"{taken + 1}.mcpcap"
