"""The table of fields: what a filter can ask of a message. Parser, evaluator, completion, help and README read it.

A field stands here once it can be evaluated, and not before.
"""

from difflib import get_close_matches
from enum import StrEnum

import msgspec


class FieldType(StrEnum):
    """What a field's values are, and so which operators and units go with it."""

    TEXT = "text"
    CHOICE = "choice"
    """One of a few words."""
    GRADE = "severity"
    """One of GRADES, which have an order."""
    NUMBER = "number"
    TIME = "time"
    """A span: `500ms`, `1.5s`, `2m`, `1h`."""
    SIZE = "size"
    """Bytes: `200`, `10k`, `1.5MB`, `64KiB`."""
    MOMENT = "moment"
    """A time of day, `12:30:05`, or a date with one."""
    ID = "id"
    """A number or a text; `1` is not `"1"`."""
    FLAG = "flag"
    """Set or not; it stands alone."""
    JSON = "json"
    """Anything, at the path behind the name: `params.a.b[0]["c d"][*]`."""
    HEADER = "header"
    """A text by its header's name: `http.header["content-type"]`."""


class Field(msgspec.Struct, frozen=True):
    """One field."""

    name: str
    type: FieldType
    help: str
    """Half a sentence."""
    columns: bool = True
    """Whether it is known without reading the message back from the file."""
    choices: tuple[str, ...] = ()
    example: str = ""


KINDS = (
    *("request", "notification", "answer", "error", "garbled", "batch"),
    *("stderr", "connection", "process", "http", "sse"),
)
STATES = ("ok", "tool-error", "error", "pending", "cancelled", "late", "lost")
GRADES = ("hint", "warning", "error")
"""Severities, the worst last. They are compared by their places, from 1."""
_T, _C, _N, _G = FieldType.TEXT, FieldType.CHOICE, FieldType.NUMBER, FieldType.GRADE

FIELDS: tuple[Field, ...] = (
    Field("method", _T, "the method; of an answer, its request's", example='method ~ "^tools/"'),
    Field("tool", _T, "the tool that is called", example='tool == "search"'),
    Field("prompt", _T, "the prompt that is asked for", example='prompt == "review"'),
    Field("uri", _T, "the resource that a request is about", example="uri contains .md"),
    Field("target", _T, "what a request is about, whatever it is", example="target == debug"),
    Field("kind", _C, "what the entry is", choices=KINDS, example="kind in {error, garbled}"),
    Field("dir", _C, "who sent it", choices=("c2s", "s2c"), example="dir == s2c"),
    Field("status", _C, "what became of the exchange", choices=STATES, example="status == tool-error"),
    Field("id", FieldType.ID, "the JSON-RPC id; 1 is not a text", example="id == 7"),
    Field("error.code", _N, "the code of a JSON-RPC error", example="error.code == -32602"),
    Field("dur", FieldType.TIME, "from the request to its answer", example="dur > 500ms"),
    Field("age", FieldType.TIME, "how long a pending request has been waiting", example="pending and age > 5s"),
    Field("size", FieldType.SIZE, "bytes of the message", example="size >= 10k"),
    Field("time", FieldType.MOMENT, "when it crossed the wire, in local time", example="time > 12:30"),
    Field("n", _N, "its number", example="n >= 1000"),
    Field("mark", _T, "the colour of the mark that somebody has put there", example="mark == red"),
    Field("comment", _T, "what somebody has written beside that mark", example="comment contains slow"),
    Field(
        "failed",
        FieldType.FLAG,
        "a JSON-RPC error, a tool error, an HTTP failure, or a lost request, each with its request; alone also `error`",
        False,
        example="failed and not probe",
    ),
    Field("pending", FieldType.FLAG, "an answer is still awaited", example="pending"),
    Field(
        "probe", FieldType.FLAG, "sent to find something out (era, doctor), or the answer to that", example="not probe"
    ),
    Field("stderr", FieldType.FLAG, "a line of the server's stderr", example="stderr and warning"),
    Field("raw.valid", FieldType.FLAG, "not set for what is no JSON-RPC message", example="not raw.valid"),
    Field("progress", _N, "the newest progress of the exchange", example="progress >= 0.5"),
    Field("revision", _T, "the revision that the request was made under", example="revision contains 2025"),
    Field("server", _T, "whose message it is: the name of its server, or of its tab", example="server == memory"),
    Field("expert", _G, "checks have found something in it", choices=GRADES, example="expert >= warning"),
    Field("expert.severity", _G, "how bad what they found is", choices=GRADES, example="expert.severity == hint"),
    Field("expert.id", _T, "which check it was", example="expert.id == K06"),
    Field("text", _T, "the bytes of the message as text", False, example='text ~ "time(d )?out"'),
    Field("params", FieldType.JSON, "in a request or a notification", False, example='params.name == "x"'),
    Field("args", FieldType.JSON, "params.arguments", False, example='args.path ~ "^/etc"'),
    Field("result", FieldType.JSON, "in an answer", False, example="result.isError == true"),
    Field("error", FieldType.JSON, "in a JSON-RPC error", False, example="error.message contains timeout"),
    Field("channel", _T, "where it crossed: stdin, stdout, post, reply, sse, get", False, example="channel == sse"),
    Field("http.status", _N, "the HTTP status of the response that belongs to it", False, example="http.status >= 400"),
    Field("http.header", FieldType.HEADER, "a header, of either side", False, example='http.header["mcp-name"] ~ x'),
    Field("sse.id", _T, "the id of the event that carried it", False, example='sse.id == "12"'),
)
"""The order is the order of help and completion."""

BY_NAME = {field.name: field for field in FIELDS}
ROOTS = ("params", "args", "result", "error")
"""The names that a path into JSON begins with."""


def find(name: str) -> Field | None:
    """The field of that name."""
    return BY_NAME.get(name)


def nearest(name: str) -> str:
    """The field that a wrong name may have meant; "" if none is near."""
    near = get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.7)
    return near[0] if near else ""


# What a filter says, as a tree: the parser makes it, the evaluator and the normal form read it.


class FieldScope(StrEnum):
    """Of which message a field is read."""

    OWN = ""
    """The message itself."""
    REQUEST = "req"
    """The request of its exchange."""
    ANSWER = "resp"
    """The answer of its exchange."""
    ANY = "any"
    """Whichever of the three: the message itself, its request, its answer."""


class Op(StrEnum):
    """How a field is compared. Where a message has no such field, none of them holds."""

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


EVERY = None
"""The step of a path that stands for every item of an array: `[*]`."""
Step = str | int | None
Value = bool | int | float | str | None


class Ref(msgspec.Struct, frozen=True):
    """A field as a filter names it."""

    name: str
    """As the table of fields has it; "params", "result", "error", "args" and "http.header" have a path."""
    path: tuple[Step, ...] = ()
    scope: FieldScope = FieldScope.OWN


class Compare(msgspec.Struct, frozen=True):
    """A field against a value. Spans of time are nanoseconds, moments too (since 1970), sizes are bytes."""

    ref: Ref
    op: Op
    values: tuple[Value, ...]
    """One; several for `in`."""


class Has(msgspec.Struct, frozen=True):
    """A field alone: a flag that is set, another field that is there."""

    ref: Ref


class BareText(msgspec.Struct, frozen=True):
    """Bare text: found, in any case, in names, states or bytes."""

    text: str


class Not(msgspec.Struct, frozen=True):
    """The opposite."""

    term: "Term"


class And(msgspec.Struct, frozen=True):
    """All of them; never of one, never of another And."""

    terms: tuple["Term", ...]


class Or(msgspec.Struct, frozen=True):
    """At least one of them; never of one, never of another Or."""

    terms: tuple["Term", ...]


Term = Compare | Has | BareText | Not | And | Or


def all_of(terms: list[Term]) -> Term:
    """The terms joined by `and`; a single one is itself."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, And) else (term,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(terms: list[Term]) -> Term:
    """The terms joined by `or`; a single one is itself."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, Or) else (term,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def opposite(term: Term) -> Term:
    """The term under `not`; two of them undo each other."""
    return term.term if isinstance(term, Not) else Not(term)
