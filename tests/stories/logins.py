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
    """A user who runs `auth login` and reads its stderr."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.stderr = ""
        self.out = ""

    async def reads(self, until: str) -> str:
        """Wait until these words are on stderr; return all of it so far."""
        assert self.process.stderr is not None
        while until not in self.stderr:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE_S)
            assert line, f"it ended before {until!r}: {self.stderr}"
            self.stderr += line.decode()
        return self.stderr

    async def address(self) -> str:
        """The newest address for the consent, once it is printed."""
        await self.reads("qr ")
        return str(_URL.findall(self.stderr)[-1])

    async def browses(self) -> httpx.Response:
        """Open the address in a browser that follows redirects."""
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            return await browser.get(await self.address())

    async def pastes_from_elsewhere(self) -> None:
        """Open it on another machine, where the redirect fails, and type the URL that the browser ended at."""
        async with httpx.AsyncClient(trust_env=False) as browser:
            came = await browser.get(await self.address())
        self.types(came.headers["location"])

    def types(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def ends(self) -> int:
        """The exit status."""
        out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        self.out = out.decode()
        self.stderr += err.decode()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def logging_in(url: str, place: Path, *words: str) -> AsyncIterator[Person]:
    """Run `auth login`."""
    async with started("auth", "login", url, *words, place=place) as process:
        yield Person(process)
