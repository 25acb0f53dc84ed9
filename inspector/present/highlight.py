"""Syntax highlighting of a text as spans, which changes no character of it.

The language follows from the claimed media type or the file extension, never from the text. Only a few well-worn
lexers are used, on texts of moderate size, because a lexer works on hostile text with regular expressions.
"""

from pathlib import Path
from typing import Any, Final

from inspector.present.spans import Line, Role, Span

MOST_CHARACTERS: Final = 60_000
LONGEST_LINE: Final = 1_000
"""Longer texts, and texts with longer lines, are not highlighted."""
_LANGUAGES: Final = Path(__file__).with_suffix(".txt").read_text("utf-8")
"""Languages by the endings of file names and by media types."""
_LANGUAGE_OF: Final = {word: line.split()[0] for line in _LANGUAGES.strip().splitlines() for word in line.split()[1:]}
_TOKENS: Final[dict[Role, str]] = {
    "faint": "Comment",
    "string": "Literal.String",
    "number": "Literal.Number Literal.Date",
    "literal": "Keyword",
    "key": "Name.Tag Name.Attribute Name.Function Name.Class",
    "added": "Generic.Inserted",
    "removed": "Generic.Deleted",
    "title": "Generic.Heading Generic.Subheading",
    "punctuation": "Operator Punctuation",
}
_ROLES: Final = tuple((f"Token.{name}", role) for role, names in _TOKENS.items() for name in names.split())


def language_of(mime_type: str, name: str) -> str:
    """Return the language of a media type, else of the file extension of a name or URI; "" if unknown here."""
    claimed = mime_type.partition(";")[0].strip().lower()
    if "/" in claimed and claimed in _LANGUAGE_OF:
        return _LANGUAGE_OF[claimed]
    last = name.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return _LANGUAGE_OF.get(last.rpartition(".")[2].lower(), "") if "." in last else ""


def highlighted(safe: str, mime_type: str, name: str) -> list[Line] | None:
    """Return the lines of a text that is safe to show; None for an unknown language or a text too large for a lexer."""
    language = language_of(mime_type, name)
    if not language or len(safe) > MOST_CHARACTERS or any(len(line) > LONGEST_LINE for line in safe.split("\n")):
        return None
    from pygments.lexers import get_lexer_by_name

    lexer: Any = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    lines: list[list[Span]] = [[]]
    for token, part in lexer.get_tokens(safe):
        role = _role(str(token))
        first, *rest = part.split("\n")
        _add(lines[-1], first, role)
        for each in rest:
            lines.append([])
            _add(lines[-1], each, role)
    return [tuple(line) for line in lines]


def _add(line: list[Span], part: str, role: Role) -> None:
    if part and line and line[-1][1] == role:
        line[-1] = (line[-1][0] + part, role)
    elif part:
        line.append((part, role))


def _role(token: str) -> Role:
    return next((role for begins, role in _ROLES if token.startswith(begins)), "foreign")
