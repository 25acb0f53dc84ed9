"""A filter's text to its tree, by recursive descent. Whatever is wrong is one sentence at a column.

Shorthands become what they stand for here, so that nothing behind the parser knows them.
"""

from collections.abc import Mapping
from datetime import datetime

from inspector.capture.filters import values
from inspector.capture.filters.fields import BY_NAME, ROOTS, Field, Type, find, nearest
from inspector.capture.filters.lexer import Kind, Token, tokens
from inspector.capture.filters.patterns import check
from inspector.capture.filters.shorthands import shorthand, unknown
from inspector.capture.filters.terms import (
    EVERY,
    Compare,
    Has,
    Op,
    Ref,
    Scope,
    Step,
    Term,
    Value,
    Words,
    all_of,
    any_of,
    opposite,
)
from inspector.errors import FilterError

DEEPEST = 60
"""Brackets within brackets and names within names, together."""
_AND, _OR, _NOT = ("and", "&&"), ("or", "||"), ("not", "!")
_COMPARISONS = {op.value: op for op in Op} | {"=": Op.EQ}
_ORDERED = (Op.LT, Op.LE, Op.GT, Op.GE)
_ON_TEXT = (Op.MATCHES, Op.DIFFERS, Op.CONTAINS)

Named = Mapping[str, str]
"""The filters that have a name, as they were typed."""


def parse(text: str, *, named: Named | None = None, today: datetime | None = None) -> Term | None:
    """The tree of a filter; None for a text without any. `today` (local time, default now) completes times of day.

    Raises: FilterError.
    """
    return _Parser(text, named or {}, today or datetime.now().astimezone()).whole()


class _Tokens:
    """The tokens of a filter, and the one that is next."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._at = 0

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _is_over(self) -> bool:
        return self._now.kind is Kind.END

    def _next(self) -> Token:
        token = self._now
        self._at += token.kind is not Kind.END
        return token

    def _is(self, *texts: str) -> bool:
        """Whether the next token is one of these, and not quoted."""
        return self._now.kind is not Kind.STRING and self._now.text in texts and self._now.kind is not Kind.END

    def _unexpected(self, wanted: str) -> FilterError:
        token = self._now
        if token.kind is Kind.END:
            return FilterError(f"the filter ends here, where {wanted} is expected", token.column)
        if token.text == ")":
            return FilterError("this bracket closes nothing", token.column)
        return FilterError(f"{wanted} is expected here", token.column)

    def _touches(self) -> bool:
        return self._tokens[self._at - 1].end == self._now.column


class _Parser(_Tokens):
    def __init__(
        self, text: str, named: Named, today: datetime, *, within: tuple[str, ...] = (), depth: int = 0
    ) -> None:
        super().__init__(text)
        self._depth = depth
        self._named = named
        self._today = today
        self._within = within
        """The names that led here."""

    def whole(self) -> Term | None:
        if self._is_over():
            return None
        term = self._or()
        if not self._is_over():
            raise self._unexpected("and, or, or the end")
        return term

    # --- and, or, not

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
            elif self._now.kind is Kind.END or self._is(*_OR, ")"):
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
            raise FilterError(f"brackets stand in brackets more than {DEEPEST} deep", opened.column)
        term = self._or()
        if not self._is(")"):
            if self._now.kind is Kind.END:
                raise FilterError("this bracket is not closed", opened.column)
            raise self._unexpected("and, or, or )")
        self._next()
        self._depth -= 1
        return term

    # --- tests

    def _test(self) -> Term:
        token = self._now
        if self._is("("):
            return self._in_brackets()
        if token.kind is Kind.STRING:
            return Words(self._text(self._next()))
        if token.kind is Kind.OP and token.text in ("<", "<=", ">", ">="):
            return self._measure()
        if token.kind is not Kind.WORD or self._is(*_AND, *_OR):
            raise self._unexpected("a field or a text")
        if token.text.startswith("@"):
            return self._by_name(self._next())
        return self._shorthand() or self._field() or self._words()

    def _text(self, token: Token) -> str:
        if not token.text:
            raise FilterError("an empty text finds everything", token.column)
        return token.text

    def _words(self) -> Term:
        """A word that is no field: text, unless something shows that a field was meant."""
        token = self._next()
        is_compared = self._now.kind is Kind.OP and not self._is(*_AND, *_OR, *_NOT)
        if is_compared or (self._is("contains", "in") and self._follows_a_value()):
            raise unknown(token, token.text)
        return Words(token.text)

    def _follows_a_value(self) -> bool:
        after = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else self._now
        return after.kind is Kind.STRING or after.text == "{"

    def _measure(self) -> Term:
        """`>500ms` or `>10k`: the unit says of what."""
        op, token = Op(self._next().text), self._now
        if token.kind is not Kind.WORD:
            raise self._unexpected("a time or a size")
        name = "dur" if values.span(token.text) else "size"
        if token.text.replace(".", "").isdigit():
            raise FilterError("this needs a unit: ms or s for a time, k or MB for a size", token.column)
        return Compare(Ref(name), op, (values.read(self._next(), BY_NAME[name], self._today),))

    def _by_name(self, token: Token) -> Term:
        name = token.text[1:]
        if name not in self._named:
            raise FilterError(f"there is no filter named @{name}", token.column)
        if name in self._within:
            raise FilterError(f"@{name} leads back to itself", token.column)
        if self._depth >= DEEPEST:
            raise FilterError(f"names stand in names more than {DEEPEST} deep", token.column)
        within, depth = (*self._within, name), self._depth + 1
        try:
            term = _Parser(self._named[name], self._named, self._today, within=within, depth=depth).whole()
        except FilterError as error:
            raise FilterError(f"in @{name}: {error}", token.column) from None
        if term is None:
            raise FilterError(f"@{name} is empty", token.column)
        return term

    # --- shorthands

    def _shorthand(self) -> Term | None:
        """`m:tools/call`, `is:pending`, `larger-than:10k`, `kind:error`; None for what is none of these."""
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
            value = Token(Kind.WORD, rest, token.column + len(name) + 1, token.end)
        elif self._now.kind is Kind.STRING and self._now.column == token.end:
            value = self._next()
        else:
            raise FilterError(f"a value is expected behind {name}:", token.end)
        return make(value, self._today)

    # --- fields

    def _field(self) -> Term | None:
        """A test of a field; None if the next word is none."""
        token = self._now
        scope, name, field = _named_field(token.text)
        if field is None:
            if scope is not Scope.OWN:
                raise unknown(token, name, scope)
            return None
        self._next()
        path = self._path(_steps(token, name, field), field)
        if field.type is Type.HEADER and len(path) != 1:
            raise FilterError('a header is named so: http.header["content-type"]', token.column)
        ref = Ref(field.name, path, scope)
        op = self._operator(ref, field, token)
        if op is None:
            return Has(Ref("failed") if ref == Ref("error") else ref)  # everything that failed, not the member alone
        return self._comparison(ref, field, op)

    def _path(self, steps: list[Step], field: Field) -> tuple[Step, ...]:
        """The path behind a name, brackets and what follows them included."""
        while self._is("[") and self._touches():
            if field.type not in (Type.JSON, Type.HEADER):
                raise FilterError(f"{field.name} has nothing inside", self._now.column)
            self._next()
            steps.append(self._index())
            if not self._is("]"):
                raise self._unexpected("]")
            self._next()
            if self._now.kind is Kind.WORD and self._now.text.startswith(".") and self._touches():
                token = self._next()
                steps += _dotted(token.text[1:], token)
        return tuple(step.lower() if field.type is Type.HEADER and isinstance(step, str) else step for step in steps)

    def _index(self) -> Step:
        token = self._next()
        if token.kind is Kind.STRING:
            return token.text
        if token.kind is Kind.WORD and token.text == "*":
            return EVERY
        if token.kind is Kind.WORD and token.text.lstrip("-").isdigit() and len(token.text) < 10:
            return int(token.text)
        raise FilterError('a position, *, or a quoted name is expected: [0], [*], ["a b"]', token.column)

    def _operator(self, ref: Ref, field: Field, name: Token) -> Op | None:
        """The operator behind a field; None if it stands alone."""
        token = self._now
        if token.kind is Kind.OP and token.text == "!":  # a `not` for what follows
            return None
        is_word = token.kind is Kind.WORD and token.text in ("contains", "in")
        if (token.kind is not Kind.OP and not is_word) or token.text in (*_AND, *_OR):
            return None
        op = _COMPARISONS.get(token.text)
        if op is None:
            raise self._unexpected("an operator such as == or ~")
        if field.type is Type.FLAG:
            raise FilterError(f"{field.name} is set or not: write {field.name} or not {field.name}", token.column)
        if op in _ORDERED and field.type in (Type.TEXT, Type.CHOICE, Type.HEADER):
            raise FilterError(f"{field.name} has no order: use == != ~ !~ contains in", token.column)
        if op in _ON_TEXT and field.type not in (Type.TEXT, Type.CHOICE, Type.JSON, Type.HEADER, Type.ID):
            raise FilterError(f"{field.name} is no text: use == != < <= > >= in", token.column)
        self._next()
        return op

    def _comparison(self, ref: Ref, field: Field, op: Op) -> Term:
        if op is Op.IN:
            return Compare(ref, op, self._set(field))
        return Compare(ref, op, (self._value(field, op),))

    def _value(self, field: Field, op: Op) -> Value:
        token = self._now
        if token.kind not in (Kind.WORD, Kind.STRING) and not self._is("-"):
            raise self._unexpected(values.expected(field))
        if self._is("-"):  # only before letters, where it begins no number
            self._next()
            token = Token(Kind.WORD, "-" + self._now.text, token.column, self._now.end)
        self._next()
        if op in (Op.MATCHES, Op.DIFFERS):
            return check(token.text, token.column)
        if op is Op.CONTAINS:
            return self._text(token)
        return values.read(token, field, self._today)

    def _set(self, field: Field) -> tuple[Value, ...]:
        if not self._is("{"):
            raise self._unexpected("a set in braces, {a, b}")
        opened, found = self._next(), []
        while not self._is("}"):
            if self._now.kind is Kind.END:
                raise FilterError("this brace is not closed", opened.column)
            if self._is(","):
                self._next()
                continue
            found.append(self._value(field, Op.EQ))
        self._next()
        if not found:
            raise FilterError("an empty set holds nothing", opened.column)
        return tuple(found)


def _named_field(word: str) -> tuple[Scope, str, Field | None]:
    """Which message, which name, which field a word means."""
    scope, name = Scope.OWN, word
    head, dot, rest = word.partition(".")
    if dot and head in ("req", "resp", "any"):
        scope, name = Scope(head), rest
    field = find(name)
    if field is None and name.partition(".")[0] in ROOTS:
        field = find(name.partition(".")[0])
    return scope, name, field


def _steps(token: Token, name: str, field: Field) -> list[Step]:
    """The steps of the path that stands in the name itself: `params.a.b`."""
    if name == field.name:
        return []
    return _dotted(name.partition(".")[2], token)


def _dotted(path: str, token: Token) -> list[Step]:
    parts = path.split(".")
    if not all(parts):
        raise FilterError("a name is missing between dots", token.column)
    return [EVERY if part == "*" else part for part in parts]
