"""Syntax highlighting of a text as spans, which changes no character of it.

The language follows from the claimed media type or the file extension, never from the text. Only a few well-worn
lexers are used, on texts of moderate size, because a lexer works on hostile text with regular expressions.
"""

from typing import Any, Final

from inspector.present.spans import Line, Role, Span

MOST_CHARACTERS: Final = 60_000
LONGEST_LINE: Final = 1_000
"""Longer texts, and texts with longer lines, are not highlighted."""
_BY_TYPE: Final = {
    "text/html": "html",
    "text/xml": "xml",
    "application/xml": "xml",
    "image/svg+xml": "xml",
    "text/css": "css",
    "text/javascript": "javascript",
    "application/javascript": "javascript",
    "application/x-javascript": "javascript",
    "text/typescript": "typescript",
    "application/typescript": "typescript",
    "text/x-python": "python",
    "application/x-python": "python",
    "text/x-script.python": "python",
    "application/yaml": "yaml",
    "application/x-yaml": "yaml",
    "text/yaml": "yaml",
    "text/x-yaml": "yaml",
    "application/toml": "toml",
    "application/sql": "sql",
    "text/x-sql": "sql",
    "application/x-sh": "bash",
    "text/x-shellscript": "bash",
    "text/x-diff": "diff",
    "text/x-patch": "diff",
    "text/x-rust": "rust",
    "text/x-go": "go",
    "text/x-java": "java",
    "text/x-c": "c",
}
_BY_END: Final = {
    "html": "html",
    "htm": "html",
    "xml": "xml",
    "svg": "xml",
    "css": "css",
    "js": "javascript",
    "mjs": "javascript",
    "ts": "typescript",
    "py": "python",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "cfg": "ini",
    "sql": "sql",
    "sh": "bash",
    "diff": "diff",
    "patch": "diff",
    "rs": "rust",
    "go": "go",
    "java": "java",
    "c": "c",
    "h": "c",
    "rb": "ruby",
}
_ROLES: Final[tuple[tuple[str, Role], ...]] = (
    ("Token.Comment", "faint"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Literal.Date", "number"),
    ("Token.Keyword", "literal"),
    ("Token.Name.Tag", "key"),
    ("Token.Name.Attribute", "key"),
    ("Token.Name.Function", "key"),
    ("Token.Name.Class", "key"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Heading", "title"),
    ("Token.Generic.Subheading", "title"),
    ("Token.Operator", "punctuation"),
    ("Token.Punctuation", "punctuation"),
)


def language_of(mime_type: str, name: str) -> str:
    """Return the language of a media type, else of the file extension of a name or URI; "" if unknown here."""
    claimed = mime_type.partition(";")[0].strip().lower()
    if claimed in _BY_TYPE:
        return _BY_TYPE[claimed]
    last = name.partition("?")[0].partition("#")[0].rpartition("/")[2]
    return _BY_END.get(last.rpartition(".")[2].lower(), "") if "." in last else ""


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
