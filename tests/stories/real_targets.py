"""The servers of the stories that this project did not write: how each is run, reached, and what is asked of it.

`running(real, place)` gives a target that answers. One over HTTP runs on a free port from before the block to its
end; one over stdio is started by whoever connects. Nothing is written outside `place`.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.protocol.revisions._shape import Era
from tests.servers.real import ROOT, NotInstalled, argv, is_ci
from tests.waiting import until

_SERVERS = Path(argv.__code__.co_filename).parent
_HARBOUR = str(_SERVERS / "harbour.py")
_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Asking:
    """A tool's call, or a prompt's, and a piece of what must come of it."""

    name: str
    arguments: Mapping[str, Any]
    shows: str
    """Stands in the bytes of the answer."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked of a server. "{place}" in an argument stands for the server's directory."""

    name: str
    """What the server calls itself."""
    nested: Asking
    fails: Asking
    """Its result says isError."""
    progress: Asking | None = None
    """Tells how far it is, more than once."""
    endless: Asking | None = None
    """Tells how far it is and does not end; it is to be called off, and `shows` is what stderr says then."""
    picture: Asking | None = None
    resource: Asking | None = None
    """`name` is a URI."""
    prompt: Asking | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Real:
    """A server over a transport."""

    server: str
    """Its name in the table of versions."""
    transport: str
    """"stdio", "http" or "sse"."""
    wishes: Wishes
    era: Era = Era.LEGACY
    words: tuple[str, ...] = ()
    """Behind the program; {port} and {place} stand for what they say."""
    path: str = ""
    """Of its URL."""
    env: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.server}-{self.transport}"


EVERYTHING = Wishes(
    name="mcp-servers/everything",
    nested=Asking("get-structured-content", {"location": "Chicago"}, "conditions"),
    fails=Asking("get-sum", {"a": "two", "b": 40}, "number"),
    progress=Asking("trigger-long-running-operation", {"duration": 0.1, "steps": 4}, "completed"),
    endless=Asking("trigger-long-running-operation", {"duration": 2, "steps": 40}, ""),
    picture=Asking("get-tiny-image", {}, "iVBORw0KGgo"),
    resource=Asking("demo://resource/dynamic/text/1", {}, "Resource 1"),
    prompt=Asking("args-prompt", {"city": "Ghent"}, "Ghent"),
)
FILESYSTEM = Wishes(
    name="secure-filesystem-server",
    nested=Asking(
        "edit_file",
        {"path": "{place}/note.txt", "edits": [{"oldText": "fog", "newText": "sun"}], "dryRun": True},
        "+sun over the bay",
    ),
    fails=Asking("read_text_file", {"path": "/nowhere/at/all"}, "outside"),
)
MEMORY = Wishes(
    name="memory-server",
    nested=Asking(
        "create_entities",
        {"entities": [{"name": "Gull", "entityType": "ship", "observations": ["white", "small"]}]},
        "Gull",
    ),
    fails=Asking("add_observations", {"observations": [{"entityName": "Nobody", "contents": []}]}, "Nobody"),
)
_SHIP = {"name": "Gull", "length_m": 12.5, "crew": [{"name": "Ann", "rank": "cook"}, {"name": "Bo"}], "home": None}
HARBOUR = Wishes(
    name="harbour",
    nested=Asking("book_berth", {"ship": _SHIP, "nights": 3}, '"heads":2'),
    fails=Asking("sink", {"why": "a hole"}, "sink"),
    progress=Asking("unload", {"crates": 3}, "3 crates"),
    endless=Asking("wait_for_wind", {}, "wait_for_wind: called off"),
    picture=Asking("chart", {}, "iVBORw0KGgo"),
    resource=Asking("harbour://log", {}, "Nothing came in"),
    prompt=Asking("hail", {"ship": "Gull"}, "Ahoy, Gull!"),
)


def _harbour(server: str, transport: str, era: Era, path: str = "") -> Real:
    words = (_HARBOUR, transport) if transport == "stdio" else (_HARBOUR, transport, "{port}")
    return Real(server, transport, HARBOUR, era, words, path)


REAL = (
    Real("everything", "stdio", EVERYTHING),
    Real("everything", "http", EVERYTHING, words=("streamableHttp",), path="/mcp", env={"PORT": "{port}"}),
    Real("everything", "sse", EVERYTHING, words=("sse",), path="/sse", env={"PORT": "{port}"}),
    Real("filesystem", "stdio", FILESYSTEM, words=("{place}",)),
    Real("memory", "stdio", MEMORY, env={"MEMORY_FILE_PATH": "{place}/memory.jsonl"}),
    _harbour("mcp1", "stdio", Era.LEGACY),
    _harbour("mcp1", "http", Era.LEGACY, "/mcp"),
    _harbour("mcp1", "sse", Era.LEGACY, "/sse"),
    _harbour("mcp2", "stdio", Era.MODERN),
    _harbour("mcp2", "http", Era.MODERN, "/mcp"),
    _harbour("fastmcp", "stdio", Era.MODERN),
    _harbour("fastmcp", "http", Era.MODERN, "/mcp"),
)


def named(name: str) -> Real:
    """The one of this name, such as "everything-sse"."""
    return next(real for real in REAL if str(real) == name)


def built(package: str, file: str, transport: str) -> Real:
    """A server of ours in `tests/servers/real`, built with a package that others wrote."""
    words = (str(_SERVERS / file), transport, *(() if transport == "stdio" else ("{port}",)))
    return replace(named(f"{package}-{transport}"), words=words)


def of_ours(name: str, *words: str) -> StdioTarget:
    """A target that runs `tests/servers/NAME.py`, which needs no package."""
    environment = build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    return StdioTarget((sys.executable, "-S", "-m", f"tests.servers.{name}", *words), environment, str(ROOT))


def filled_in(value: Any, place: Path) -> Any:
    """A value with {place} in its texts made the path, at any depth."""
    if isinstance(value, str):
        return value.replace("{place}", str(place))
    if isinstance(value, Mapping):
        return {key: filled_in(each, place) for key, each in value.items()}
    return [filled_in(each, place) for each in value] if isinstance(value, list) else value


@asynccontextmanager
async def running(real: Real, place: Path, port: int = 0) -> AsyncIterator[Target]:
    """A target that answers for the time of the block, over HTTP on this port or a free one. Raises: NotInstalled."""
    (place / "note.txt").write_text("fog over the bay\n")
    if real.transport == "stdio":
        yield _started_by_others(real, place)
        return
    port = port or free_port()
    command, env = _command(real, place, port)
    async with _process(command, env, port, place / "server.log"):
        yield HttpTarget(f"http://{_HOST}:{port}{real.path}", legacy_sse=real.transport == "sse")


def _started_by_others(real: Real, place: Path) -> StdioTarget:
    command, env = _command(real, place, 0)
    given = [f"{name}={value}" for name, value in env.items()]
    return StdioTarget(command, build_environment({}, inherit_all=False, set_=given), str(place))


def _command(real: Real, place: Path, port: int) -> tuple[tuple[str, ...], dict[str, str]]:
    """What runs it, and its whole environment: its home is its place, so that it is known by that too."""

    def fill(text: str) -> str:
        return text.replace("{port}", str(port)).replace("{place}", str(place))

    env = {"PATH": os.environ["PATH"], "HOME": str(place)} | {name: fill(value) for name, value in real.env.items()}
    return (*argv(real.server), *map(fill, real.words)), env


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as taken:
        taken.bind((_HOST, 0))
        port: int = taken.getsockname()[1]
        return port


@asynccontextmanager
async def _process(command: tuple[str, ...], env: dict[str, str], port: int, log: Path) -> AsyncIterator[None]:
    """Run a server until the end of the block; the block begins when it accepts connections."""
    with log.open("wb") as said:
        process = await asyncio.create_subprocess_exec(
            *command, env=env, stdin=asyncio.subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
        )
    try:
        await until(lambda: process.returncode is not None or _accepts(port), f"{command} accepts connections", 30)
        assert process.returncode is None, f"{command} ended, see {log}"
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _accepts(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex((_HOST, port)) == 0


@asynccontextmanager
async def installed(real: Real, place: Path) -> AsyncIterator[Target]:
    """Run a server for the time of the block; skip the test where it is not installed, in CI fail it."""
    try:
        async with running(real, place) as target:
            yield target
    except NotInstalled as error:
        if is_ci():
            pytest.fail(f"{real}: {error}")
        pytest.skip(str(error))
