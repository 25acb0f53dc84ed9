"""JSON as people keep it in configuration files: with comments and trailing commas.

Both are blanked out, character by character, so that an error still names the line and column of the original.
"""

import re
from typing import Any

from inspector.documents import Unreadable, read_json
from inspector.errors import UsageError

_PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*"?)|,(?=\s*[}\]])')


def parse(text: str, where: str) -> Any:
    """The value of a text. `where` names it in the error.

    Raises: UsageError with line and column.
    """
    try:
        return read_json(_strict(text.removeprefix("\ufeff")))
    except Unreadable as error:
        place = f":{error.line}:{error.column}" if error.line else ""
        raise UsageError(f"{where}{place}: {error}", hint="Fix the file.") from None


def _strict(text: str) -> str:
    without = _PIECES.sub(lambda piece: piece[0] if piece[0][0] == '"' else _blank(piece[0]), text)
    return _TRAILING_COMMA.sub(lambda piece: piece[1] or " ", without)


def _blank(comment: str) -> str:
    return re.sub(r"[^\n]", " ", comment)
