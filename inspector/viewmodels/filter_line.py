"""The filter line as a person types it: what it means, where it is wrong, what could go on, which words are which.

It knows the journal's values and the person's own filters, and nothing of keys and widgets.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from inspector.capture.filters.fields import BY_NAME, ROOTS
from inspector.capture.filters.lexer import Kind, tokens
from inspector.capture.filters.normal import describe
from inspector.capture.filters.parse import parse
from inspector.capture.filters.suggest import Suggestions, suggest
from inspector.capture.filters.terms import Term
from inspector.capture.journal import Journal
from inspector.config.filters import NAME
from inspector.errors import FilterError
from inspector.viewmodels.roles import Role

_NEWEST = 3000
"""Exchanges that are looked at for values."""
_KEYWORDS = ("and", "or", "not", "contains", "in", "&&", "||", "!")


class FilterReading(msgspec.Struct, frozen=True):
    """What a text comes to."""

    term: Term | None = None
    error: str = ""
    """One sentence; "" if nothing is wrong."""
    column: int = 0
    """Where it is wrong."""
    full: str = ""
    """The filter in full, where that is not what was typed."""
    saves: str = ""
    """The name that it gives to a filter: `@slow = dur > 1s`."""
    body: str = ""
    """What is saved under that name; "" takes the name away."""


def read_filter(text: str, named: Mapping[str, str]) -> FilterReading:
    """Read a filter, or the definition of one that gets a name."""
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
    """What could go on after the text before the cursor."""
    return suggest(before, lambda name: seen(journal, name), tuple(named))


def seen(journal: Journal, name: str) -> Sequence[str]:
    """The values of a field in what came last, each once, the newest first."""
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
    """Which characters of a filter are what: from, to, role. Nothing for what can't be read."""
    try:
        found = tokens(text)
    except FilterError:
        return []
    return [(token.column, token.end, role) for token in found if (role := _role(token.kind, token.text)) is not None]


def _role(kind: Kind, text: str) -> Role | None:
    if kind is Kind.STRING:
        return "string"
    if kind is Kind.OP or kind is Kind.MARK:
        return "punctuation"
    if kind is not Kind.WORD:
        return None
    if text in _KEYWORDS:
        return "literal"
    name = text.removeprefix("req.").removeprefix("resp.").removeprefix("any.")
    if name in BY_NAME or name.partition(".")[0] in ROOTS or text.startswith("@"):
        return "key"
    return None
