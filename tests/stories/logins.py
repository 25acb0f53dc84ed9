"""A user who runs `mcp-inspect auth login`, and has a browser on this or another machine."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from tests.stories.commands import started
from tests.waiting import PATIENCE_S

_URL = re.compile(r"url\s+(http\S+)")


class Person:
    """Somebody who runs `auth login` and reads along."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.told = ""
        self.out = ""

    async def reads(self, until: str) -> str:
        """Everything that is told until some words stand there."""
        assert self.process.stderr is not None
        while until not in self.told:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE_S)
            assert line, f"it ended before {until!r}: {self.told}"
            self.told += line.decode()
        return self.told

    async def address(self) -> str:
        """Where to consent, once that is told; of several the newest."""
        await self.reads("qr ")
        return str(_URL.findall(self.told)[-1])

    async def browses(self) -> httpx.Response:
        """Opens the address in a browser that follows redirects."""
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            return await browser.get(await self.address())

    async def pastes_from_elsewhere(self) -> None:
        """Opens it on another machine, where the way back leads nowhere, and types what that browser ended at."""
        async with httpx.AsyncClient(trust_env=False) as browser:
            came = await browser.get(await self.address())
        self.types(came.headers["location"])

    def types(self, line: str) -> None:
        """Types a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def ends(self) -> int:
        """What it ends with."""
        out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        self.out = out.decode()
        self.told += err.decode()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def logging_in(url: str, place: Path, *words: str) -> AsyncIterator[Person]:
    """Runs `auth login`."""
    async with started("auth", "login", url, *words, place=place) as process:
        yield Person(process)
