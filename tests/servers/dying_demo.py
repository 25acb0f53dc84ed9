"""The demo on stdio, which exits with status 70 when the tool that its argument names is called."""

import asyncio
import os
import sys
from typing import Any

from inspector.demo import methods
from inspector.demo.__main__ import serve_stdio
from inspector.demo.call import DemoOptions, DemoRequest

CALL = methods.LEGACY["tools/call"]


async def call_or_die(call: DemoRequest) -> dict[str, Any]:
    """Run the tool, unless it is the one that kills."""
    if call.text("name") == sys.argv[1]:
        os._exit(70)
    return await CALL(call)


methods.LEGACY["tools/call"] = methods.MODERN["tools/call"] = call_or_die
asyncio.run(serve_stdio(DemoOptions()))
