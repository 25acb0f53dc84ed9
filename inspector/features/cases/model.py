"""Test case: a request, and assertions about its response (an object with `result` or `error`).

Places are JSON Pointers (RFC 6901) into that object: `/result/content/0/text`, `/error/code`.

A text may hold markers: `{{name}}` for a variable, `${env:NAME}` and `${keyring:NAME}` for a secret. A backslash
escapes a marker.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

VERSION = 1
"""Version of the file format, written as `mcp-inspect-cases`."""
HEADER = "mcp-inspect-cases"
OUTPUT_SCHEMA = "outputSchema"
"""Value of `schema` that stands for the tool's own output schema."""

MARKER = re.compile(r"(?<!\\)(\\*+)(?:\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}|\$\{(env|keyring):([^{}\s]{1,200})\})")
"""Groups: backslashes, variable name, source of a secret, name of a secret."""

NAME_OF_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


class ExpectationKind(StrEnum):
    """What is asserted about a place. The value is the member name in the file."""

    EQUALS = "equals"
    TYPE = "type"
    EXISTS = "exists"
    MATCHES = "matches"
    SCHEMA = "schema"
    FASTER = "faster"
    SNAPSHOT = "snapshot"


class Expectation(msgspec.Struct, frozen=True):
    """One assertion about the response."""

    kind: ExpectationKind
    value: Any
    """The value in the file: a value, one or several type names, true or false, a pattern, a schema, milliseconds."""
    at: str = "/result"
    """JSON Pointer of the place. Ignored by `faster`."""
    line: int = 0
    """Line in the file, from 1; 0 if unknown."""
    span: tuple[int, int] = (0, 0)
    """Span of its value in the file's text, in characters."""


class Marker(msgspec.Struct, frozen=True):
    """A marker in a text."""

    name: str
    """Name of the variable or the secret."""
    source: str = ""
    """Source of a secret: "env" or "keyring"; "" for a variable."""
    line: int = 0
    """Line of the value that holds the marker, from 1."""
    is_part: bool = False
    """Whether the text holds more than this marker."""

    @property
    def shown(self) -> str:
        """The marker as written in the file."""
        return f"${{{self.source}:{self.name}}}" if self.source else f"{{{{{self.name}}}}}"


class SavedValue(msgspec.Struct, frozen=True):
    """A variable that gets its value from the result."""

    name: str
    path: str
    """As written: `$.structuredContent.id`."""
    steps: tuple[str | int, ...]
    """Members and indexes, starting at the result. A negative index counts from the end."""
    line: int = 0


class CallVariable(msgspec.Struct, frozen=True):
    """A variable with its value, which may refer to others."""

    name: str
    value: Any
    line: int = 0
    references: tuple[Marker, ...] = ()


class CaseDefinition(msgspec.Struct, frozen=True):
    """One request and the expectations of its response."""

    name: str
    request: str
    """Method."""
    params: dict[str, Any] = {}
    expect: tuple[Expectation, ...] = ()
    """If empty, the response must be a result, and not a tool error."""
    answers: tuple[Any, ...] = ()
    """Responses to server requests during the call, in the format of a --responses file."""
    isolate: bool = False
    """Whether the case runs on a separate connection."""
    session: str = ""
    """Capture, relative to the file, whose messages are sent as they were recorded; the response to its first such
    request is judged. "" if mcp-inspect opens the session."""
    line: int = 0
    expects_at: int = 0
    """Offset of its list of expectations in the file's text, in characters; 0 if there is none."""
    span: tuple[int, int] = (0, 0)
    """Span in the file's text, in characters."""
    name_at: tuple[int, int] = (0, 0)
    """Span of the name in the file's text."""
    uses_at: tuple[tuple[int, int], ...] = ()
    """Spans of the names in `uses` in the file's text."""
    save: tuple[SavedValue, ...] = ()
    uses: tuple[str, ...] = ()
    """Names of cases that run before this one."""
    references: tuple[Marker, ...] = ()
    """Markers in its params, answers and expected values."""


class Cases(msgspec.Struct, frozen=True):
    """The cases of a file, in file order."""

    cases: tuple[CaseDefinition, ...]
    text: str
    """Text of the file."""
    span: tuple[int, int] = (0, 0)
    """Span of the list of cases in the text, in characters; (0, 0) if there is none."""
    target: str = ""
    """URL or name of a configured server; "" if it is given elsewhere."""
    revision: str = ""
    """Protocol version that the results are of; "" for any."""
    uses: tuple[Marker, ...] = ()
    """Files whose variables and cases this file refers to, as written."""
    variables: tuple[CallVariable, ...] = ()


class CallEnvironment(msgspec.Struct, frozen=True):
    """Values and target of one environment, such as `dev`."""

    name: str
    target: str = ""
    variables: tuple[CallVariable, ...] = ()


def references(text: str, line: int = 0) -> Iterator[Marker]:
    for found in MARKER.finditer(text):
        if not found[1]:
            yield Marker(found[2] or found[4], found[3] or "", line, is_part=len(found[0]) < len(text))


def escaped(value: Any) -> Any:
    """Return a value whose texts are escaped so that none of them is read as a marker."""
    if isinstance(value, str):
        return MARKER.sub(lambda found: "\\" + found[0], value)
    if isinstance(value, dict):
        return {name: escaped(each) for name, each in value.items()}
    return [escaped(each) for each in value] if isinstance(value, list) else value
