"""Parse a filter into its tree, by recursive descent. An error is one sentence and a column.

Shorthands are expanded here; the evaluator does not know them.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum

import msgspec

from inspector.errors import FilterError
from inspector.filters.language.fields import (
    BY_NAME,
    EVERY,
    GRADES,
    ROOTS,
    BareText,
    Compare,
    Field,
    FieldScope,
    FieldType,
    Has,
    Op,
    Ref,
    Step,
    Term,
    Value,
    all_of,
    any_of,
    find,
    nearest,
    opposite,
)
from inspector.filters.language.patterns import check
from inspector.text import cut

LONGEST = 20_000
"""The maximum length of a filter in characters."""

_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(r"===|!==|=~|~=|=>|=<|<>|==|!=|<=|>=|!~|&&|\|\||<|>|~|=|!")
_FOREIGN = {
    "==": "= === is eq equals",
    "!=": "!== <> ne",
    ">=": "=>",
    "<=": "=<",
    "~": "=~ ~= matches",
    "contains": "like CONTAINS",
    "in": "IN",
    "and": "& AND",
    "or": "| OR",
    "not": "NOT",
}
_MEANT = {each: operator for operator, foreign in _FOREIGN.items() for each in foreign.split()}
"""The corresponding operator for each operator of other languages."""
_MARKS = "(){}[],"
_WORD = re.compile(r"""[^\s(){}\[\],"'<>=!~]+""")
_PATTERN = re.compile(r"[^\s\"']\S*")
"""An unquoted regular expression after ~, up to the next space."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NUMBER = re.compile(r"([+-]?(?:\d{1,15}(?:_\d{3})*(?:\.\d{1,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,2})?)([A-Za-zµμ]*)")
_TIMES = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_SIZES = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "kb": 10**3,
    "m": 10**6,
    "mb": 10**6,
    "g": 10**9,
    "gb": 10**9,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}
_JSON_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
_CLOCK = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_FORMS = {
    FieldType.NUMBER: "a number",
    FieldType.TIME: "a time with its unit, such as 500ms or 2s",
    FieldType.SIZE: "a size, such as 200, 10k or 64KiB",
    FieldType.MOMENT: "a time of day, such as 12:30:05",
    FieldType.FLAG: "no value",
}
_PREFIXES = {"m": "method", "t": "tool", "p": "prompt", "u": "uri"}
_MEASURES = {
    "larger-than": ("size", Op.GT),
    "smaller-than": ("size", Op.LT),
    "slower-than": ("dur", Op.GT),
    "faster-than": ("dur", Op.LT),
}
_KINDS = frozenset(BY_NAME["kind"].choices) - {"error"}
_STATES = frozenset(BY_NAME["status"].choices) - {"error", "pending"}
DEEPEST = 60
"""The maximum nesting of parentheses and named filters."""
_AND, _OR, _NOT = ("and", "&&"), ("or", "||"), ("not", "!")
_COMPARISONS = {op.value: op for op in Op}
_ORDERED = (Op.LT, Op.LE, Op.GT, Op.GE)
_ON_TEXT = (Op.MATCHES, Op.DIFFERS, Op.CONTAINS)


class TokenKind(StrEnum):
    WORD = "word"
    STRING = "string"
    """Quoted: never a field, never a keyword."""
    OP = "operator"
    MARK = "mark"
    """`( ) { } [ ] ,` and `-` before something."""
    END = "end"


class Token(msgspec.Struct, frozen=True):
    kind: TokenKind
    text: str
    """The text; of a string its value, unescaped and without quotes."""
    column: int
    """Of the first character, from 0."""
    end: int
    """The column after the last character."""


Make = Callable[[Token, datetime], Term]
"""Creates a term from the value after the colon; the datetime completes times of day."""
Named = Mapping[str, str]
"""Saved filters by name, as typed."""


def tokens(text: str) -> list[Token]:
    """Split a filter into tokens; the last one marks the end. Raises: FilterError."""
    if len(text) > LONGEST:
        raise FilterError(f"filter too long: {len(text):,} characters, at most {LONGEST:,} are allowed", LONGEST)
    found: list[Token] = []
    at = 0
    while True:
        if blank := _SPACE.match(text, at):
            at = blank.end()
        if at >= len(text):
            break
        token = _token(text, at, found[-1] if found else None)
        found.append(token)
        at = token.end
    found.append(Token(TokenKind.END, "", len(text.rstrip()), len(text)))
    return found


def _token(text: str, at: int, before: Token | None) -> Token:
    char = text[at]
    if char in "\"'":
        return _string(text, at)
    if before is not None and before.kind is TokenKind.OP and before.text in ("~", "!~"):
        if pattern := _PATTERN.match(text, at):
            return _unquoted_pattern(pattern)
    if operator := _OPERATOR.match(text, at):
        return Token(TokenKind.OP, operator.group(), at, operator.end())
    if char in _MARKS:
        return Token(TokenKind.MARK, char, at, at + 1)
    if _CONTROL.match(char):
        raise FilterError("control characters must be escaped in quoted text", at)
    if char == "-" and _negates(text, at):
        return Token(TokenKind.MARK, "-", at, at + 1)
    word = _WORD.match(text, at)
    assert word is not None
    if control := _CONTROL.search(word.group()):
        raise FilterError("control characters must be escaped in quoted text", at + control.start())
    return Token(TokenKind.WORD, word.group(), at, word.end())


def _negates(text: str, at: int) -> bool:
    """Return whether a minus negates the next test; before a number it is a sign."""
    follows = text[at + 1 : at + 2]
    return bool(follows) and not follows.isspace() and not follows.isdigit() and follows not in ".-"


def _unquoted_pattern(found: re.Match[str]) -> Token:
    """Return a pattern up to the next space, without unmatched closing parentheses."""
    text = found.group()
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    return Token(TokenKind.WORD, text, found.start(), found.start() + len(text))


def _string(text: str, at: int) -> Token:
    quote, place = text[at], at + 1
    out: list[str] = []
    while place < len(text):
        char = text[place]
        if char == quote:
            return Token(TokenKind.STRING, "".join(out), at, place + 1)
        if char == "\\":
            plain, place = _escaped(text, place)
            out.append(plain)
        else:
            out.append(char)
            place += 1
    raise FilterError(f"missing closing {quote}", at)


def _escaped(text: str, at: int) -> tuple[str, int]:
    r"""The character of an escape sequence, and the index after it. An unknown escape keeps its backslash: `"\d+"`."""
    char = text[at + 1 : at + 2]
    if char in ('"', "'", "\\"):
        return char, at + 2
    if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", text[at + 2 : at + 6]):
        return chr(int(text[at + 2 : at + 6], 16)), at + 6
    if char in _ESCAPES:
        return _ESCAPES[char], at + 2
    return "\\", at + 1


# Values, parsed according to the field's type: units, choices, times of day.


def expected(field: Field) -> str:
    """Describe the values of a field in a few words."""
    if field.type in (FieldType.CHOICE, FieldType.GRADE):
        return "one of " + ", ".join(field.choices)
    return _FORMS.get(field.type, "a value")


def read(token: Token, field: Field, today: datetime) -> Value:
    """Parse the value of a token for a field. `today` completes a time of day. Raises: FilterError."""
    match field.type:
        case FieldType.TEXT | FieldType.HEADER:
            return token.text
        case FieldType.CHOICE:
            return _choice(token, field)
        case FieldType.GRADE:
            return GRADES.index(_choice(token, field)) + 1
        case FieldType.NUMBER:
            return _plain(_number(token, field, {"": 1}))
        case FieldType.TIME:
            return round(_number(token, field, _TIMES))
        case FieldType.SIZE:
            return round(_number(token, field, _SIZES))
        case FieldType.MOMENT:
            return _moment(token, today)
        case FieldType.ID | FieldType.JSON:
            return _json(token)
        case FieldType.FLAG:
            raise FilterError(f"{field.name} takes no value: write {field.name} or not {field.name}", token.column)


def _choice(token: Token, field: Field) -> str:
    word = token.text.lower().replace(" ", "-").replace("_", "-")
    word = "warning" if word == "warn" and field.type is FieldType.GRADE else word
    if word not in field.choices:
        near = get_close_matches(word, field.choices, n=1)
        hint = f"; did you mean `{near[0]}`?" if near else f": expected {expected(field)}"
        raise FilterError(f"unknown {field.name} `{cut(token.text, 40)}`{hint}", token.column)
    return word


def _number(token: Token, field: Field, units: dict[str, int]) -> float:
    found = _NUMBER.fullmatch(token.text) if token.kind is TokenKind.WORD else None
    unit = found.group(2) if found else ""
    factor = units.get(unit.lower() if units is _SIZES else unit)
    if found is None or factor is None:
        raise FilterError(f"invalid value for {field.name}: expected {expected(field)}", token.column)
    return float(found.group(1)) * factor


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _json(token: Token) -> Value:
    if token.kind is TokenKind.STRING:
        return token.text
    if token.text in _JSON_WORDS:
        return _JSON_WORDS[token.text]
    found = _NUMBER.fullmatch(token.text)
    if found is None or found.group(2):
        return token.text
    return int(token.text) if token.text.lstrip("+-").isdigit() else _plain(float(found.group(1)))


def _moment(token: Token, today: datetime) -> int:
    found = _CLOCK.fullmatch(token.text)
    if found is None:
        raise FilterError(f"invalid value for time: expected {expected(BY_NAME['time'])}", token.column)
    year, month, day, hour, minute, second, fraction = found.groups()
    try:
        moment = today.replace(hour=int(hour), minute=int(minute), second=int(second or 0), microsecond=0)
        if year:
            moment = moment.replace(year=int(year), month=int(month), day=int(day))
        whole = round(moment.timestamp())
    except (ValueError, OverflowError, OSError):
        raise FilterError(f"invalid time `{cut(token.text, 40)}`", token.column) from None
    return whole * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


def span(text: str) -> bool:
    """Return whether a word is a number with a unit of time, as in `>500ms`."""
    found = _NUMBER.fullmatch(text)
    return found is not None and found.group(2) in _TIMES and found.group(2) != "m"


# Shorthands: `m:tools/call`, `is:pending`, `larger-than:10k`, `kind:error`.


def shorthand(name: str) -> Make | None:
    """Return the parser for the value after a prefix; None if the prefix is not a shorthand."""
    if name == "is":
        return _is_what
    if name in _MEASURES:
        return _compared(*_MEASURES[name])
    field = find(_PREFIXES.get(name, name))
    if field is None or field.type in (FieldType.FLAG, FieldType.JSON, FieldType.HEADER):
        return None
    return _compared(field.name, Op.CONTAINS if field.type is FieldType.TEXT else Op.EQ)


def _compared(name: str, op: Op) -> Make:
    def make(token: Token, today: datetime) -> Term:
        return Compare(Ref(name), op, (read(token, BY_NAME[name], today),))

    return make


def _is_what(token: Token, today: datetime) -> Term:
    word = token.text.lower()
    if word in _KINDS:
        return Compare(Ref("kind"), Op.EQ, (word,))
    if word in _STATES:
        return Compare(Ref("status"), Op.EQ, (word,))
    if word == "error":
        return Has(Ref("failed"))
    field = find(word)
    if field is None or field.type is not FieldType.FLAG:
        known = sorted((*_KINDS, *_STATES, "error", "pending", "probe"))
        near = get_close_matches(word, known, n=1)
        hint = f"; did you mean `is:{near[0]}`?" if near else f": expected one of {', '.join(known)}"
        raise FilterError(f"unknown value `{cut(token.text, 40)}` of is:{hint}", token.column)
    return Has(Ref(word))


def unknown(token: Token, name: str, scope: FieldScope = FieldScope.OWN) -> FilterError:
    """Return the error for an unknown field, suggesting the nearest known one."""
    prefix = f"{scope}." if scope is not FieldScope.OWN else ""
    near = nearest(name)
    hint = f"; did you mean `{prefix}{near}`?" if near else ""
    return FilterError(f"unknown field `{prefix}{cut(name, 60)}`{hint}", token.column)


def parse(text: str, *, named: Named | None = None, today: datetime | None = None) -> Term | None:
    """Parse a filter; None for an empty one. `today` (local time, default now) completes times of day.

    Raises: FilterError.
    """
    return _Parser(text, named or {}, today or datetime.now().astimezone()).whole()


class _Parser:
    def __init__(
        self, text: str, named: Named, today: datetime, *, within: tuple[str, ...] = (), depth: int = 0
    ) -> None:
        self._tokens = tokens(text)
        self._at = 0
        self._depth = depth
        self._named = named
        self._today = today
        self._within = within
        """The named filters being expanded, outermost first."""

    def whole(self) -> Term | None:
        if self._is_over():
            return None
        term = self._or()
        if not self._is_over():
            raise self._unexpected("`and`, `or` or the end of the filter")
        return term

    # Token access

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _is_over(self) -> bool:
        return self._now.kind is TokenKind.END

    def _next(self) -> Token:
        token = self._now
        self._at += token.kind is not TokenKind.END
        return token

    def _is(self, *texts: str) -> bool:
        """Return whether the next token is one of these, unquoted."""
        return (
            self._now.kind is not TokenKind.STRING and self._now.text in texts and self._now.kind is not TokenKind.END
        )

    def _unexpected(self, wanted: str) -> FilterError:
        token = self._now
        if token.kind is TokenKind.END:
            return FilterError(f"unexpected end of filter: expected {wanted}", token.column)
        if token.text == ")":
            return FilterError("unmatched `)`", token.column)
        return FilterError(f"unexpected `{cut(token.text, 40)}`: expected {wanted}", token.column)

    def _unknown_operator(self) -> FilterError:
        """Return the error for an operator of another language."""
        meant = _MEANT.get(self._now.text)
        hint = f"; did you mean `{meant}`?" if meant else ""
        return FilterError(f"unknown operator `{cut(self._now.text, 40)}`{hint}", self._now.column)

    def _touches(self) -> bool:
        return self._tokens[self._at - 1].end == self._now.column

    # `and`, `or`, `not`

    def _or(self) -> Term:
        terms = [self._and()]
        while self._is(*_OR):
            self._next()
            terms.append(self._and())
        return any_of(terms)

    def _and(self) -> Term:
        terms = [self._not()]
        while True:
            if self._is(*_AND):
                self._next()
            elif self._now.kind is TokenKind.END or self._is(*_OR, ")"):
                return all_of(terms)
            terms.append(self._not())

    def _not(self) -> Term:
        turned = False
        while self._is(*_NOT) or self._is("-"):
            self._next()
            turned = not turned
        term = self._test()
        return opposite(term) if turned else term

    def _in_brackets(self) -> Term:
        opened = self._next()
        self._depth += 1
        if self._depth > DEEPEST:
            raise FilterError(f"parentheses nested more than {DEEPEST} deep", opened.column)
        term = self._or()
        if not self._is(")"):
            if self._now.kind is TokenKind.END:
                raise FilterError("unclosed `(`", opened.column)
            raise self._unexpected("`and`, `or` or `)`")
        self._next()
        self._depth -= 1
        return term

    # Tests

    def _test(self) -> Term:
        token = self._now
        if self._is("("):
            return self._in_brackets()
        if token.kind is TokenKind.STRING:
            return BareText(self._text(self._next()))
        if token.kind is TokenKind.OP and token.text in ("<", "<=", ">", ">="):
            return self._measure()
        if self._is("&", "|", "AND", "OR", "NOT"):
            raise self._unknown_operator()
        if token.kind is not TokenKind.WORD or self._is(*_AND, *_OR):
            raise self._unexpected("a field or text")
        if token.text.startswith("@"):
            return self._by_name(self._next())
        return self._shorthand() or self._field() or self._words()

    def _text(self, token: Token) -> str:
        if not token.text:
            raise FilterError("empty text matches everything", token.column)
        return token.text

    def _words(self) -> Term:
        """Parse a word that is not a field: text, unless an operator follows."""
        token = self._next()
        is_compared = self._now.kind is TokenKind.OP and not self._is(*_AND, *_OR, *_NOT)
        if is_compared or (self._is("contains", "in") and self._follows_a_value()):
            raise unknown(token, token.text)
        return BareText(token.text)

    def _follows_a_value(self) -> bool:
        after = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else self._now
        return after.kind is TokenKind.STRING or after.text == "{"

    def _measure(self) -> Term:
        """Parse a comparison without a field: `>500ms` is a duration, `>10k` a size."""
        op, token = Op(self._next().text), self._now
        if token.kind is not TokenKind.WORD:
            raise self._unexpected("a time or a size")
        name = "dur" if span(token.text) else "size"
        if token.text.replace(".", "").isdigit():
            raise FilterError("missing unit: ms or s for a duration, k or MB for a size", token.column)
        return Compare(Ref(name), op, (read(self._next(), BY_NAME[name], self._today),))

    def _by_name(self, token: Token) -> Term:
        name = token.text[1:]
        if name not in self._named:
            raise FilterError(f"unknown named filter `@{name}`", token.column)
        if name in self._within:
            raise FilterError(f"`@{name}` refers to itself", token.column)
        if self._depth >= DEEPEST:
            raise FilterError(f"named filters nested more than {DEEPEST} deep", token.column)
        within, depth = (*self._within, name), self._depth + 1
        try:
            term = _Parser(self._named[name], self._named, self._today, within=within, depth=depth).whole()
        except FilterError as error:
            raise FilterError(f"in `@{name}`: {error}", token.column) from None
        if term is None:
            raise FilterError(f"`@{name}` is empty", token.column)
        return term

    # Shorthands

    def _shorthand(self) -> Term | None:
        """Parse a shorthand: `m:tools/call`, `is:pending`, `larger-than:10k`, `kind:error`; None if it is not one."""
        token = self._now
        name, colon, rest = token.text.partition(":")
        if not colon or not name:
            return None
        make = shorthand(name)
        if make is None:
            if "/" not in rest and "." not in rest and nearest(name) and name.isalpha():
                raise unknown(token, name)
            return None
        self._next()
        if rest:
            value = Token(TokenKind.WORD, rest, token.column + len(name) + 1, token.end)
        elif self._now.kind is TokenKind.STRING and self._now.column == token.end:
            value = self._next()
        else:
            raise FilterError(f"missing value after `{name}:`", token.end)
        return make(value, self._today)

    # Fields

    def _field(self) -> Term | None:
        """Parse a test of a field; None if the next word is not a field."""
        token = self._now
        scope, name, field = _named_field(token.text)
        if field is None:
            if scope is not FieldScope.OWN:
                raise unknown(token, name, scope)
            return None
        self._next()
        path = self._path(_steps(token, name, field), field)
        if field.type is FieldType.HEADER and len(path) != 1:
            raise FilterError('missing header name: http.header["content-type"]', token.column)
        ref = Ref(field.name, path, scope)
        op = self._operator(ref, field, token)
        if op is None:
            return Has(Ref("failed") if ref == Ref("error") else ref)  # all failures, not only the `error` member
        return self._comparison(ref, field, op)

    def _path(self, steps: list[Step], field: Field) -> tuple[Step, ...]:
        """Parse the path after a name, including brackets."""
        while self._is("[") and self._touches():
            if field.type not in (FieldType.JSON, FieldType.HEADER):
                raise FilterError(f"{field.name} has no members", self._now.column)
            self._next()
            steps.append(self._index())
            if not self._is("]"):
                raise self._unexpected("]")
            self._next()
            if self._now.kind is TokenKind.WORD and self._now.text.startswith(".") and self._touches():
                token = self._next()
                steps += _dotted(token.text[1:], token)
        return tuple(
            step.lower() if field.type is FieldType.HEADER and isinstance(step, str) else step for step in steps
        )

    def _index(self) -> Step:
        token = self._next()
        if token.kind is TokenKind.STRING:
            return token.text
        if token.kind is TokenKind.WORD and token.text == "*":
            return EVERY
        if token.kind is TokenKind.WORD and token.text.lstrip("-").isdigit() and len(token.text) < 10:
            return int(token.text)
        raise FilterError('expected an index, * or a quoted name: [0], [*], ["a b"]', token.column)

    def _operator(self, ref: Ref, field: Field, name: Token) -> Op | None:
        """Parse the operator after a field; None without one."""
        token = self._now
        if token.kind is TokenKind.OP and token.text == "!":  # negates what follows
            return None
        is_word = token.kind is TokenKind.WORD and token.text in ("contains", "in")
        if token.kind is TokenKind.WORD and not is_word and self._is_foreign_operator(field):
            raise self._unknown_operator()
        if (token.kind is not TokenKind.OP and not is_word) or token.text in (*_AND, *_OR):
            return None
        op = _COMPARISONS.get(token.text)
        if op is None:
            raise self._unknown_operator()
        if field.type is FieldType.FLAG:
            raise FilterError(f"{field.name} takes no value: write {field.name} or not {field.name}", token.column)
        if op in _ORDERED and field.type in (FieldType.TEXT, FieldType.CHOICE, FieldType.HEADER):
            raise FilterError(
                f"`{token.text}` does not apply to {field.name}: use == != ~ !~ contains in", token.column
            )
        if op in _ON_TEXT and field.type not in (
            FieldType.TEXT,
            FieldType.CHOICE,
            FieldType.JSON,
            FieldType.HEADER,
            FieldType.ID,
        ):
            raise FilterError(f"`{token.text}` does not apply to {field.name}: use == != < <= > >= in", token.column)
        self._next()
        return op

    def _is_foreign_operator(self, field: Field) -> bool:
        """Return whether the next word is an operator of another language, followed by a value."""
        if self._now.text not in _MEANT or field.type is FieldType.FLAG:
            return False
        after = self._tokens[self._at + 1]
        return after.kind in (TokenKind.WORD, TokenKind.STRING) or after.text == "{"

    def _comparison(self, ref: Ref, field: Field, op: Op) -> Term:
        if op is Op.IN:
            return Compare(ref, op, self._set(field))
        return Compare(ref, op, (self._value(field, op),))

    def _value(self, field: Field, op: Op) -> Value:
        token = self._now
        if token.kind not in (TokenKind.WORD, TokenKind.STRING) and not self._is("-"):
            raise self._unexpected(expected(field))
        if self._is("-"):  # only before letters; before digits it is part of the number
            self._next()
            token = Token(TokenKind.WORD, "-" + self._now.text, token.column, self._now.end)
        self._next()
        if op in (Op.MATCHES, Op.DIFFERS):
            return check(token.text, token.column)
        return self._text(token) if op is Op.CONTAINS else read(token, field, self._today)

    def _set(self, field: Field) -> tuple[Value, ...]:
        if not self._is("{"):
            raise self._unexpected("a set, {a, b}")
        opened, found = self._next(), []
        while not self._is("}"):
            if self._now.kind is TokenKind.END:
                raise FilterError("unclosed `{`", opened.column)
            if self._is(","):
                self._next()
                continue
            found.append(self._value(field, Op.EQ))
        self._next()
        if not found:
            raise FilterError("empty set", opened.column)
        return tuple(found)


def _named_field(word: str) -> tuple[FieldScope, str, Field | None]:
    scope, name = FieldScope.OWN, word
    head, dot, rest = word.partition(".")
    if dot and head in ("req", "resp", "any"):
        scope, name = FieldScope(head), rest
    field = find(name)
    if field is None and name.partition(".")[0] in ROOTS:
        field = find(name.partition(".")[0])
    return scope, name, field


def _steps(token: Token, name: str, field: Field) -> list[Step]:
    """Return the path contained in the name: `params.a.b`."""
    return [] if name == field.name else _dotted(name.partition(".")[2], token)


def _dotted(path: str, token: Token) -> list[Step]:
    parts = path.split(".")
    if not all(parts):
        raise FilterError("missing name between dots", token.column)
    return [EVERY if part == "*" else part for part in parts]
