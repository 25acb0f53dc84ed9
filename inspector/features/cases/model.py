"""Test case: a request, and assertions about its response (an object with `result` or `error`).

Places are JSON pointers (RFC 6901) into that object: `/result/content/0/text`, `/error/code`.

A text may hold markers: `{{name}}` for a variable, `${env:NAME}` and `${keyring:NAME}` for a secret. A backslash before
a marker keeps it as text.
"""

import re
from collections.abc import Iterator
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


MARKER = re.compile(r"(?<!\\)(\\*+)(?:\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}|\$\{(env|keyring):([^{}\s]{1,200})\})")
"""Backslashes, the name of a variable, where a secret is from, and its name."""
NAME_OF_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


class Marker(msgspec.Struct, frozen=True):
    """A marker in a text."""

    name: str
    """Of the variable or the secret."""
    source: str = ""
    """Of a secret: "env" or "keyring"; "" for a variable."""
    line: int = 0
    """Of the value that holds it, from 1."""
    is_part: bool = False
    """Whether the text has more than this marker."""

    @property
    def shown(self) -> str:
        """As it is written."""
        return f"${{{self.source}:{self.name}}}" if self.source else f"{{{{{self.name}}}}}"


def references(text: str, line: int = 0) -> Iterator[Marker]:
    """The markers in a text."""
    for found in MARKER.finditer(text):
        if not found[1]:
            yield Marker(found[2] or found[4], found[3] or "", line, is_part=len(found[0]) < len(text))


def escaped(value: Any) -> Any:
    """A value of which no text is taken for a marker."""
    if isinstance(value, str):
        return MARKER.sub(lambda found: "\\" + found[0], value)
    if isinstance(value, dict):
        return {name: escaped(each) for name, each in value.items()}
    return [escaped(each) for each in value] if isinstance(value, list) else value


class SavedValue(msgspec.Struct, frozen=True):
    """A variable that gets its value from the result."""

    name: str
    path: str
    """As written: `$.structuredContent.id`."""
    steps: tuple[str | int, ...]
    """Members and indexes, from the result on; a negative index counts from the end."""
    line: int = 0


class CallVariable(msgspec.Struct, frozen=True):
    """A variable with its value, which may refer to others."""

    name: str
    value: Any
    line: int = 0
    references: tuple[Marker, ...] = ()


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
    span: tuple[int, int] = (0, 0)
    """Its place in the file's text, in characters."""
    name_at: tuple[int, int] = (0, 0)
    """The place of its name likewise."""
    uses_at: tuple[tuple[int, int], ...] = ()
    """The places of the names in `uses` likewise."""
    save: tuple[SavedValue, ...] = ()
    uses: tuple[str, ...] = ()
    """Names of cases that run before."""
    references: tuple[Marker, ...] = ()
    """In its params, answers and expected values."""


class Cases(msgspec.Struct, frozen=True):
    """A file of them, in its order."""

    cases: tuple[CaseDefinition, ...]
    text: str
    """The file as it was read."""
    span: tuple[int, int] = (0, 0)
    """The place of the list in the text, in characters; (0, 0) without one."""
    target: str = ""
    """A URL, or the name of a configured server; "" if it is given elsewhere."""
    uses: tuple[Marker, ...] = ()
    """Files whose variables and cases this one refers to, as written."""
    variables: tuple[CallVariable, ...] = ()


class CallEnvironment(msgspec.Struct, frozen=True):
    """Values and a target of one environment, such as `dev`."""

    name: str
    target: str = ""
    variables: tuple[CallVariable, ...] = ()
