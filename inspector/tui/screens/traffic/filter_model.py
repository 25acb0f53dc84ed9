"""Filters made from the selection: a row of the list, or a value in a payload; and parsing of the filter line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind, MessageKind
from inspector.config.remembered import NAME
from inspector.documents import UNDECODABLE
from inspector.errors import FilterError
from inspector.filters.language.completion import Suggestions, describe, suggest
from inspector.filters.language.fields import BY_NAME, ROOTS, And, Compare, Has, Op, Or, Ref, Step, Term
from inspector.filters.language.parser import TokenKind, parse, tokens
from inspector.present.spans import Role
from inspector.protocol import peek

_LONGEST = 200
"""Maximum length of a text that is compared as a whole; for a longer one, the filter uses its beginning."""
_STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\[?("(?:[^"\\]|\\.)*")\]?')
_FIELDS_OF_TARGETS = (("tools/call", "tool"), ("prompts/get", "prompt"), ("resources/", "uri"))

_NEWEST = 3000
"""Maximum number of newest exchanges searched for values."""

_KEYWORDS = ("and", "or", "not", "contains", "in", "&&", "||", "!")


class FilterReading(msgspec.Struct, frozen=True):
    """Result of parsing a filter."""

    term: Term | None = None
    error: str = ""
    """One sentence; "" if there is no error."""
    column: int = 0
    """Position of the error."""
    full: str = ""
    """The filter in full, if the text abbreviates it."""
    saves: str = ""
    """Name that the text defines for a filter: `@slow = dur > 1s`."""
    body: str = ""
    """Filter to save under that name; "" deletes the name."""


def row_test(journal: Journal, n: int) -> Term | None:
    """Return a test for the tool, prompt, URI or method of entry n, or else for its kind."""
    store, kind = journal.store, journal.store.message_kind(n)
    if store.kind(n) is not EntryKind.FRAME:
        return Compare(Ref("kind"), Op.EQ, (store.kind(n).name.lower(),))
    number = store.exchange(n)
    if number and kind is not MessageKind.NOTIFICATION:
        exchange = journal.conversation.exchanges[number - 1]
        for begins, name in _FIELDS_OF_TARGETS:
            if exchange.method.startswith(begins) and exchange.target:
                return Compare(Ref(name), Op.EQ, (exchange.target,))
        return Compare(Ref("method"), Op.EQ, (exchange.method,))
    if method := store.method(n):
        return Compare(Ref("method"), Op.EQ, (method,))
    return Compare(Ref("kind"), Op.EQ, (kind.name.lower(),)) if kind is not MessageKind.NONE else None


def path_test(path: str, value: bytes) -> Term | None:
    """Return a test for a value in a message: equality, or for an object or an array, existence.

    `path` is a path of the payload view; `value` is JSON. None if no filter field covers the path.
    """
    ref = ref_of_path(path)
    if ref is None:
        return None
    try:
        found = msgspec.json.decode(value)
    except UNDECODABLE:
        return None
    if isinstance(found, dict | list):
        return Has(ref) if ref.path or ref.name in ROOTS else None
    if isinstance(found, str) and len(found) > _LONGEST:
        return Compare(ref, Op.CONTAINS, (found[:_LONGEST],))
    return Compare(ref, Op.EQ, (found,))


def ref_of_path(path: str) -> Ref | None:
    """Return the filter field for a path in a message; None if there is none."""
    steps = _steps(path)
    if not steps:
        return None
    head, *rest = steps
    if steps in (["id"], ["method"]):
        return Ref(str(head))
    if steps == ["error", "code"]:
        return Ref("error.code")
    if steps[:2] == ["params", "arguments"]:
        return Ref("args", tuple(steps[2:]))
    return Ref(head, tuple(rest)) if isinstance(head, str) and head in ("params", "result", "error") else None


def _steps(path: str) -> list[Step]:
    found: list[Step] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            return []
        name, position, in_quotes = step.groups()
        found.append(name if name is not None else int(position) if position else _unquoted(in_quotes))
        at = step.end()
    return found


def _unquoted(text: str) -> str:
    found = peek.decoded_as(str, text.encode("utf-8", "surrogatepass"))
    return text[1:-1] if found is None else found


def combined(text: str, test: Term, how: str) -> str:
    """Add a test to a filter: "and" (additionally), "only" (as the only test), "not" (negated)."""
    message = describe(test)
    if how == "only":
        return message
    added = f"not {message}" if how == "not" else message
    before = text.strip()
    if not before:
        return added
    try:
        term = parse(before)
    except FilterError:
        return added
    if term is not None and any(describe(each) == added for each in (term.terms if isinstance(term, And) else (term,))):
        return before
    return f"({before}) and {added}" if isinstance(term, Or) else f"{before} and {added}"


# Parsing the filter line: meaning, error position, completions and colours.


def read_filter(text: str, named: Mapping[str, str]) -> FilterReading:
    """Parse a filter, or the definition of a named one."""
    name, equals, body = text.partition("=")
    name = name.strip()
    if text.startswith("@") and equals and not body.startswith("=") and NAME.fullmatch(name[1:]):
        offset = len(text) - len(body)
        read = _read(body, {key: value for key, value in named.items() if key != name[1:]}, offset)
        return msgspec.structs.replace(read, saves=name[1:], body=body.strip(), full="")
    return _read(text, named, 0)


def _read(text: str, named: Mapping[str, str], offset: int) -> FilterReading:
    try:
        term = parse(text, named=named)
    except FilterError as error:
        return FilterReading(error=str(error), column=error.column + offset)
    full = describe(term)
    return FilterReading(term, full="" if full == " ".join(text.split()) else full)


def proposals(before: str, journal: Journal, named: Mapping[str, str]) -> Suggestions:
    """Return completions for the text before the cursor."""
    return suggest(before, lambda name: seen(journal, name), tuple(named))


def seen(journal: Journal, name: str) -> Sequence[str]:
    """Return the distinct values of a field in recent exchanges, newest first."""
    return tuple(dict.fromkeys(_seen(journal, name)))


def _seen(journal: Journal, name: str) -> Iterator[str]:
    if name == "method":
        yield from sorted(filter(None, journal.store.method_names))
        return
    begins = {"tool": "tools/call", "prompt": "prompts/get", "uri": "resources/", "target": ""}.get(name)
    exchanges = journal.conversation.exchanges
    for number in islice(range(len(exchanges), 0, -1), _NEWEST):
        exchange = exchanges[number - 1]
        if begins is not None and exchange.method.startswith(begins) and exchange.target:
            yield exchange.target
        elif name == "error.code" and exchange.error_code is not None:
            yield str(exchange.error_code)
        elif name == "revision" and exchange.revision:
            yield exchange.revision


def colours(text: str) -> list[tuple[int, int, Role]]:
    """Return the roles of a filter's tokens as (start, end, role); empty if it is invalid."""
    try:
        found = tokens(text)
    except FilterError:
        return []
    return [(token.column, token.end, role) for token in found if (role := _role(token.kind, token.text)) is not None]


def _role(kind: TokenKind, text: str) -> Role | None:
    if kind is TokenKind.STRING:
        return "string"
    if kind is TokenKind.OP or kind is TokenKind.MARK:
        return "punctuation"
    if kind is not TokenKind.WORD:
        return None
    if text in _KEYWORDS:
        return "literal"
    name = text.removeprefix("req.").removeprefix("resp.").removeprefix("any.")
    if name in BY_NAME or name.partition(".")[0] in ROOTS or text.startswith("@"):
        return "key"
    return None
