"""What a tool of the demo is made of, and the content blocks that its results are made of."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from inspector.demo.call import Call, Json
from inspector.demo.long_work import Work

Run = Callable[[Call, Json], Awaitable[Json]]
"""Takes the call and its arguments, already checked; returns the result of the newest revision.
Raises: Mishap for a result with `isError`, Refusal for a JSON-RPC error."""

LOOKS = {"readOnlyHint": True, "openWorldHint": False}
WRITES = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False}
DESTROYS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what the list says of it, and what it does."""

    name: str
    title: str
    description: str
    run: Run
    input_schema: Any
    """Sent as it is, so that a broken one can be shown; `checked` says whether arguments are held against it."""
    output_schema: Json | None = None
    annotations: Json | None = None
    icon: str | None = None
    """An SVG document."""
    checked: bool = True
    needs: Callable[[Json], Json] | None = None
    """From its arguments to the client capabilities without which it can't ask; None for a tool that asks nothing."""

    meta: Json | None = None
    """Its `_meta` in the list."""
    task: str = ""
    """Whether it may or must be called as a task: "optional", "required"; "" for neither."""
    work: Callable[[Call, Json], Work] | None = None
    """What it does as a task."""

    def begun(self, call: Call, arguments: Json) -> Work:
        """Its work for a call; only where `task` is set."""
        assert self.work is not None, "a tool that is called as a task has work to do"
        return self.work(call, arguments)

    def listed(self) -> Json:
        """The tool as the newest revision lists it."""
        item: Json = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
        }
        if self.output_schema is not None:
            item["outputSchema"] = self.output_schema
        if self.annotations is not None:
            item["annotations"] = self.annotations
        if self.icon is not None:
            item["icons"] = icons(self.icon)
        if self.meta is not None:
            item["_meta"] = self.meta
        if self.task:
            item["execution"] = {"taskSupport": self.task}
        return item


def takes(*required: str, **properties: Json) -> Json:
    """The schema of an object with these properties and no other."""
    schema: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return schema


def encode(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode("ascii")


def icons(svg: str) -> list[Json]:
    """An SVG as the only icon of a thing."""
    source = "data:image/svg+xml;base64," + encode(svg.encode())
    return [{"src": source, "mimeType": "image/svg+xml", "sizes": ["any"]}]


def text(words: str) -> Json:
    """A text block."""
    return {"type": "text", "text": words}


def result(*blocks: Json) -> Json:
    """A tool's result of these blocks."""
    return {"content": list(blocks)}
