"""The conforming server over HTTP at a port, for gateways to lead to: `python -m tests.servers.fleet.behind PORT`."""

import asyncio
import sys

from inspector.transports.http.listener import Listener
from tests.servers.conforming import LEGACY, Conforming
from tests.servers.conforming_http import session


async def main(port: int) -> None:
    """Serve until it is stopped."""
    async with Listener(session(lambda: Conforming(LEGACY[:0:-1])), port=port):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
