"""Forms of many optional integers drawn, and a large recursive schema read. Times of the processor."""

import asyncio
import time
from statistics import median
from typing import Any

from inspector.forms.read_schema import read_schema
from tests.tui.widgets.filling import Filling

_ROUNDS = 5
_WHOLE = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}


def drawn_s(fields: int) -> float:
    """Load the form at 120×36 and draw it, the rows below the screen included: the median of some rounds."""
    return asyncio.run(_drawn(fields))


async def _drawn(fields: int) -> float:
    schema = {"type": "object", "properties": {f"field_{n}": _WHOLE for n in range(fields)}}
    times = []
    app = Filling({"type": "object"})
    async with app.run_test(size=(120, 36)) as pilot:
        for _ in range(_ROUNDS):
            await app.form.load({"type": "object"})
            await pilot.pause()
            began = time.process_time()
            await app.form.load(schema)
            await pilot.pause()
            times.append(time.process_time() - began)
    return median(times)


def read_s(unions: int = 400, branches: int = 30) -> float:
    """Read unions of each other: the median of some rounds."""
    named: dict[str, Any] = {}
    for n in range(unions):
        others = [{"$ref": f"#/$defs/N{(n * 7 + step) % unions}"} for step in range(branches)]
        named[f"N{n}"] = {"anyOf": [*others, {"type": "object", "properties": {"kind": {"const": n}}}]}
    schema = {"type": "object", "$defs": named, "properties": {"root": {"$ref": "#/$defs/N0"}}}
    times = []
    for _ in range(_ROUNDS):
        began = time.process_time()
        read_schema(schema)
        times.append(time.process_time() - began)
    return median(times)
