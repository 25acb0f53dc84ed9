"""A filter's text to tokens. Every token knows its column, so that whatever is wrong can be pointed at.

A word is anything without blanks, brackets and operators, so that `tools/call` and `2025-06-18` need no quotes.
"""

import re
from enum import StrEnum

import msgspec

from inspector.errors import FilterError

LONGEST = 20_000
"""Characters of a filter."""


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    STRING = "string"
    """Quoted: never a field, never a keyword."""
    OP = "operator"
    MARK = "mark"
    """`( ) { } [ ] ,` and `-` before something."""
    END = "end"


class Token(msgspec.Struct, frozen=True):
    """A piece of the text."""

    kind: Kind
    text: str
    """Of a string what it stands for, without quotes."""
    column: int
    """Of its first character, from 0."""
    end: int
    """Behind its last character."""


_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(r"==|!=|<=|>=|!~|&&|\|\||<|>|~|=|!")
_MARKS = "(){}[],"
_WORD = re.compile(r"""[^\s(){}\[\],"'<>=!~]+""")
_PATTERN = re.compile(r"[^\s\"']\S*")
"""An unquoted regular expression, behind ~: up to the next blank."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def tokens(text: str) -> list[Token]:
    """All tokens, the end last.

    Raises: FilterError.
    """
    if len(text) > LONGEST:
        raise FilterError(f"a filter of {len(text):,} characters is too long: {LONGEST:,} are the most", LONGEST)
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
    found.append(Token(Kind.END, "", len(text.rstrip()), len(text)))
    return found


def _token(text: str, at: int, before: Token | None) -> Token:
    char = text[at]
    if char in "\"'":
        return _string(text, at)
    if before is not None and before.kind is Kind.OP and before.text in ("~", "!~"):
        if pattern := _PATTERN.match(text, at):
            return _unquoted_pattern(pattern)
    if operator := _OPERATOR.match(text, at):
        return Token(Kind.OP, operator.group(), at, operator.end())
    if char in _MARKS:
        return Token(Kind.MARK, char, at, at + 1)
    if _CONTROL.match(char):
        raise FilterError("a control character can stand only in a quoted text, as an escape", at)
    if char == "-" and _negates(text, at):
        return Token(Kind.MARK, "-", at, at + 1)
    word = _WORD.match(text, at)
    assert word is not None
    if control := _CONTROL.search(word.group()):
        raise FilterError("a control character can stand only in a quoted text, as an escape", at + control.start())
    return Token(Kind.WORD, word.group(), at, word.end())


def _negates(text: str, at: int) -> bool:
    """Whether a minus turns round what follows: before a number it is the number's own."""
    follows = text[at + 1 : at + 2]
    return bool(follows) and not follows.isspace() and not follows.isdigit() and follows not in ".-"


def _unquoted_pattern(found: re.Match[str]) -> Token:
    """A pattern up to the next blank; of its closing brackets those that it did not open belong to the filter."""
    text = found.group()
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1]
    return Token(Kind.WORD, text, found.start(), found.start() + len(text))


def _string(text: str, at: int) -> Token:
    quote, place = text[at], at + 1
    out: list[str] = []
    while place < len(text):
        char = text[place]
        if char == quote:
            return Token(Kind.STRING, "".join(out), at, place + 1)
        if char == "\\":
            plain, place = _escaped(text, place)
            out.append(plain)
        else:
            out.append(char)
            place += 1
    raise FilterError(f"the text that begins here has no closing {quote}", at)


def _escaped(text: str, at: int) -> tuple[str, int]:
    r"""What a backslash and what follows stand for. One that means nothing stays: `"\d+"` is a pattern."""
    char = text[at + 1 : at + 2]
    if char in ('"', "'", "\\"):
        return char, at + 2
    if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", text[at + 2 : at + 6]):
        return chr(int(text[at + 2 : at + 6], 16)), at + 6
    if char in _ESCAPES:
        return _ESCAPES[char], at + 2
    return "\\", at + 1
