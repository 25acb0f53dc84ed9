"""A tool of the server: a function whose types are its schemas, and whose docstring is its description."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec
from msgspec import Meta

from inspector.serve.sessions import Sessions


class Arguments(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base class of a tool's arguments."""


EntryNumber = Annotated[int, Meta(description="n of traffic.")]
SessionId = Annotated[str, Meta(description="Default: the newest.")]
WaitSeconds = Annotated[float, Meta(description="Most seconds to wait.")]
MaxTokens = Annotated[int, Meta(description="Size of the answer.")]


class Answer(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Base class of a tool's result. Members that hold text of a server are named in `foreign`."""

    next: str
    """The next sensible call, in one line."""


A = TypeVar("A", bound=Arguments)
R = TypeVar("R", bound=Answer)
Run = Callable[[Sessions, A], Awaitable[R]]


class ToolDefinition(msgspec.Struct, frozen=True):
    name: str
    description: str
    arguments: type[Arguments]
    answer: type[Answer]
    run: Callable[[Sessions, Any], Awaitable[Answer]]
    read_only: bool
    destructive: bool
    open_world: bool

    @property
    def listed(self) -> dict[str, Any]:
        """The definition as tools/list has it."""
        hints = {"readOnlyHint": True} if self.read_only else {"destructiveHint": self.destructive}
        if not self.open_world:
            hints["openWorldHint"] = False
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": schema_of(self.arguments),
            "outputSchema": schema_of(self.answer),
            "annotations": hints,
        }


def tool(
    *, read_only: bool = True, destructive: bool = False, open_world: bool = False
) -> Callable[[Run[A, R]], ToolDefinition]:
    """Make a function a tool. `open_world`: it talks to the inspected server."""

    def define(run: Run[A, R]) -> ToolDefinition:
        hints = get_type_hints(run)
        arguments = next(kind for kind in hints.values() if isinstance(kind, type) and issubclass(kind, Arguments))
        name = getattr(run, "__name__", "").rstrip("_")
        about = " ".join(inspect.cleandoc(run.__doc__ or "").split())
        return ToolDefinition(name, about, arguments, hints["return"], run, read_only, destructive, open_world)

    return define


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a type in few tokens: without titles and empty defaults.

    That of an answer names the members that every answer has, and requires the next call alone.
    """
    schema = msgspec.json.schema(kind)["$defs"][kind.__name__]
    required, properties = schema.get("required", []), schema["properties"]
    found: dict[str, Any] = {"type": "object"}
    if issubclass(kind, Arguments):
        found["properties"] = {name: _without_empty_default(each) for name, each in properties.items()}
        found["additionalProperties"] = False
    else:
        found["properties"], required = {name: _type_of(properties[name]) for name in required}, ["next"]
    return found | ({"required": required} if required else {})


def _type_of(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key in ("type", "enum")}


def _without_empty_default(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "default" or value not in ("", [], {}, None, False)}
