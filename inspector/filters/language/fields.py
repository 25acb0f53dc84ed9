"""The fields of the filter language, for parser, evaluator, completion, help and docs/filters.md."""

from collections.abc import Iterator
from difflib import get_close_matches
from enum import StrEnum

import msgspec

KINDS = (
    *("request", "notification", "response", "error", "invalid", "batch"),
    *("stderr", "connection", "process", "http", "sse"),
)
STATES = ("ok", "tool-error", "error", "pending", "cancelled", "late", "lost")
GRADES = ("hint", "warning", "error")
"""Severities in ascending order, compared by their position from 1."""
ROOTS = ("params", "args", "result", "error")
"""Fields with a path into JSON."""
EVERY = None
"""The step `[*]` of a path: every item of an array."""


class FieldType(StrEnum):
    """The type of a field's values, which decides its operators and units."""

    TEXT = "text"
    CHOICE = "choice"
    """One of a few values."""
    GRADE = "severity"
    """One of GRADES, which are ordered."""
    NUMBER = "number"
    TIME = "time"
    """A duration: `500ms`, `1.5s`, `2m`, `1h`."""
    SIZE = "size"
    """Bytes: `200`, `10k`, `1.5MB`, `64KiB`."""
    MOMENT = "moment"
    """A time of day, `12:30:05`, or a date with one."""
    ID = "id"
    """A number or a string; `1` is not `"1"`."""
    FLAG = "flag"
    """Set or not; takes no operator."""
    JSON = "json"
    """Any value, at the path after the name: `params.a.b[0]["c d"][*]`."""
    HEADER = "header"
    """The value of a header by its name: `http.header["content-type"]`."""


class Field(msgspec.Struct, frozen=True):
    name: str
    type: FieldType
    help: str
    """What it is, without a full stop."""
    columns: bool = True
    """Whether it is known without reading the message from the file."""
    choices: tuple[str, ...] = ()
    example: str = ""


_T, _C, _N, _G = FieldType.TEXT, FieldType.CHOICE, FieldType.NUMBER, FieldType.GRADE

FIELDS: tuple[Field, ...] = (
    Field("method", _T, "the method; of a response, that of its request", example='method ~ "^tools/"'),
    Field("tool", _T, "name of the called tool", example='tool == "search"'),
    Field("prompt", _T, "name of the requested prompt", example='prompt == "review"'),
    Field("uri", _T, "URI of the requested resource", example="uri contains .md"),
    Field("target", _T, "name or URI that the request is about", example="target == debug"),
    Field("kind", _C, "kind of entry", choices=KINDS, example="kind in {error, invalid}"),
    Field(
        "dir",
        _C,
        "direction: client to server, server to client, View to host (MCP Apps), host to View",
        choices=("c2s", "s2c", "v2h", "h2v"),
        example="dir == s2c",
    ),
    Field("status", _C, "status of the exchange", choices=STATES, example="status == tool-error"),
    Field("id", FieldType.ID, 'JSON-RPC id; 1 is not "1"', example="id == 7"),
    Field("error.code", _N, "code of a JSON-RPC error", example="error.code == -32602"),
    Field("dur", FieldType.TIME, "time from the request to its response", example="dur > 500ms"),
    Field("age", FieldType.TIME, "how long a request has been pending", example="pending and age > 5s"),
    Field("size", FieldType.SIZE, "size of the message in bytes", example="size >= 10k"),
    Field("time", FieldType.MOMENT, "local time when it was sent or received", example="time > 12:30"),
    Field("n", _N, "entry number", example="n >= 1000"),
    Field("mark", _T, "color of the mark on the entry", example="mark == red"),
    Field("comment", _T, "comment on the entry", example="comment contains slow"),
    Field(
        "failed",
        FieldType.FLAG,
        "JSON-RPC error, tool error, HTTP failure or lost request, with the request; short form: error",
        False,
        example="failed and not probe",
    ),
    Field("pending", FieldType.FLAG, "no response yet", example="pending"),
    Field(
        "probe",
        FieldType.FLAG,
        "sent by mcp-inspect to probe the server (era, doctor), or its response",
        example="not probe",
    ),
    Field("stderr", FieldType.FLAG, "line on the server's stderr", example="stderr and warning"),
    Field("raw.valid", FieldType.FLAG, "set for valid JSON-RPC messages", example="not raw.valid"),
    Field("progress", _N, "latest progress of the exchange", example="progress >= 0.5"),
    Field("revision", _T, "protocol version of the request", example="revision contains 2025"),
    Field("server", _T, "name of the server, or of its tab", example="server == memory"),
    Field("severity", _G, "severity of a finding about the entry", choices=GRADES, example="severity >= warning"),
    Field(
        "finding",
        _T,
        "id of a check that has a finding about the entry",
        example="finding == structured-content-missing",
    ),
    Field("text", _T, "the whole message as text", False, example='text ~ "time(d )?out"'),
    Field("params", FieldType.JSON, "params of a request or notification", False, example='params.name == "x"'),
    Field("args", FieldType.JSON, "params.arguments", False, example='args.path ~ "^/etc"'),
    Field("result", FieldType.JSON, "result of a response", False, example="result.isError == true"),
    Field("error", FieldType.JSON, "error object of a JSON-RPC error", False, example="error.message contains timeout"),
    Field("channel", _T, "channel: stdin, stdout, post, reply, sse, get, view", False, example="channel == sse"),
    Field("http.status", _N, "HTTP status of the exchange", False, example="http.status >= 400"),
    Field(
        "http.header", FieldType.HEADER, "a request or response header", False, example='http.header["mcp-name"] ~ x'
    ),
    Field("sse.id", _T, "id of the SSE event", False, example='sse.id == "12"'),
)
"""In the order of help and completion."""

BY_NAME = {field.name: field for field in FIELDS}


class FieldScope(StrEnum):
    """The message whose field is read."""

    OWN = ""
    """The message itself."""
    REQUEST = "req"
    """The request of its exchange."""
    RESPONSE = "resp"
    """The response of its exchange."""
    ANY = "any"
    """Any of the three: the message itself, its request, its response."""


class Op(StrEnum):
    """A comparison. False if the message does not have the field."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    MATCHES = "~"
    DIFFERS = "!~"
    CONTAINS = "contains"
    IN = "in"


Step = str | int | None
Value = bool | int | float | str | None


class Ref(msgspec.Struct, frozen=True):
    """A field as a filter names it."""

    name: str
    """A name in FIELDS; "params", "result", "error", "args" and "http.header" have a path."""
    path: tuple[Step, ...] = ()
    scope: FieldScope = FieldScope.OWN


class Compare(msgspec.Struct, frozen=True):
    """A field compared with a value. Durations are nanoseconds, times nanoseconds since 1970, sizes bytes."""

    ref: Ref
    op: Op
    values: tuple[Value, ...]
    """One; several for `in`."""


class Has(msgspec.Struct, frozen=True):
    """A field without an operator: a flag is set, or another field is present."""

    ref: Ref


class BareText(msgspec.Struct, frozen=True):
    """Text to find in names, states or bytes, ignoring case."""

    text: str


class Not(msgspec.Struct, frozen=True):
    """Negation."""

    term: "Term"


class And(msgspec.Struct, frozen=True):
    """Conjunction of at least two terms, none of them an And."""

    terms: tuple["Term", ...]


class Or(msgspec.Struct, frozen=True):
    """Disjunction of at least two terms, none of them an Or."""

    terms: tuple["Term", ...]


Term = Compare | Has | BareText | Not | And | Or


def find(name: str) -> Field | None:
    """Return the field with this name; None if there is none."""
    return BY_NAME.get(name)


def nearest(name: str) -> str:
    """Return the most similar field name; "" if none is similar."""
    near = get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.7)
    return near[0] if near else ""


# The tree of a filter.


def all_of(terms: list[Term]) -> Term:
    """Join terms by `and`; a single term is returned unchanged."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, And) else (term,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(terms: list[Term]) -> Term:
    """Join terms by `or`; a single term is returned unchanged."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, Or) else (term,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def opposite(term: Term) -> Term:
    """Negate a term, removing a double negation."""
    return term.term if isinstance(term, Not) else Not(term)


def refs(term: Term) -> Iterator[Ref]:
    """Yield the fields of a filter, each as it is used."""
    match term:
        case And(terms) | Or(terms):
            for each in terms:
                yield from refs(each)
        case Not(inner):
            yield from refs(inner)
        case Has(ref) | Compare(ref):
            yield ref
