"""`taps`: recordings of other clients that run now."""

import asyncio
import os
from pathlib import Path
from typing import Any

from inspector.features.tap.registry import live
from inspector.features.tap.summary import summary
from inspector.serve.sessions import Sessions
from inspector.serve.tool import Answer, Arguments, tool
from inspector.text import visible


class TapsArguments(Arguments):
    pass


class TapsAnswer(Answer):
    taps: list[dict[str, Any]]


@tool()
async def taps(sessions: Sessions, wanted: TapsArguments) -> TapsAnswer:
    """List taps: live recordings of what another client, such as an editor, sends to its server now. open reads one."""
    rows = await asyncio.to_thread(lambda: [_row(summary(each)) for each in live() if each["pid"] != os.getpid()][-10:])
    return TapsAnswer(taps=rows, next=f'open(capture="{rows[-1]["capture"]}")' if rows else "open()")


def _row(tap: dict[str, Any]) -> dict[str, Any]:
    found = {name: visible(str(tap[name]), limit=80) for name in ("label", "server", "client") if tap.get(name)}
    found |= {name: tap[name] for name in ("messages", "errors", "held") if tap.get(name)}
    return found | {"capture": Path(tap["capture"]).stem}
