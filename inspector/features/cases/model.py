"""Test case: a request, and assertions about its response (an object with `result` or `error`).

Places are JSON pointers (RFC 6901) into that object: `/result/content/0/text`, `/error/code`.
"""

from enum import StrEnum
from typing import Any

import msgspec

VERSION = 1
"""Of the file's format; a file says it as `mcp-inspect-cases`."""
HEADER = "mcp-inspect-cases"
OUTPUT_SCHEMA = "outputSchema"
"""In `schema`: the tool's own output schema."""


class ExpectationKind(StrEnum):
    """What is asked of a place; the member's name in the file."""

    EQUALS = "equals"
    TYPE = "type"
    EXISTS = "exists"
    MATCHES = "matches"
    SCHEMA = "schema"
    FASTER = "faster"
    SNAPSHOT = "snapshot"


class Expectation(msgspec.Struct, frozen=True):
    """One thing that is expected."""

    kind: ExpectationKind
    value: Any
    """What the file has: a value, a type's name or several, true or false, a pattern, a schema, milliseconds."""
    at: str = "/result"
    """JSON pointer; means nothing to `faster`."""
    line: int = 0
    """In the file, from 1; 0 for none."""
    span: tuple[int, int] = (0, 0)
    """The place of its value in the file's text, in characters."""


class CaseDefinition(msgspec.Struct, frozen=True):
    """One request, and all that is expected of its answer."""

    name: str
    request: str
    """The method."""
    params: dict[str, Any] = {}
    expect: tuple[Expectation, ...] = ()
    """Without any, the answer must be a result, and a tool's not a failure."""
    answers: tuple[Any, ...] = ()
    """For what the server asks meanwhile, as in a file of --responses."""
    isolate: bool = False
    """Whether it gets a connection of its own."""
    line: int = 0
    expects_at: int = 0
    """Where its list of expectations begins in the file's text, in characters; 0 without one."""


class Cases(msgspec.Struct, frozen=True):
    """A file of them, in its order."""

    cases: tuple[CaseDefinition, ...]
    text: str
    """The file as it was read."""
    span: tuple[int, int] = (0, 0)
    """The place of the list in the text, in characters; (0, 0) without one."""
