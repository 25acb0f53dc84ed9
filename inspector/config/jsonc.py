"""JSON as people keep it in configuration files: with comments and trailing commas.

Both are blanked out, character by character, so that an error still names the line and column of the original.
"""

import json
import re
from typing import Any

from inspector.errors import UsageError

_PIECES = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*"?)|,(?=\s*[}\]])')


def parse(text: str, where: str) -> Any:
    """The value of a text. `where` names it in the error.

    Raises: UsageError with line and column.
    """
    try:
        return json.loads(_strict(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{where}:{error.lineno}:{error.colno}: {error.msg}", hint="Mend the file where it is broken."
        ) from None
    except RecursionError:
        raise UsageError(f"{where}: nested too deeply to be read") from None


def _strict(text: str) -> str:
    without = _PIECES.sub(lambda piece: piece[0] if piece[0][0] == '"' else _blank(piece[0]), text)
    return _TRAILING_COMMA.sub(lambda piece: piece[1] or " ", without)


def _blank(comment: str) -> str:
    return re.sub(r"[^\n]", " ", comment)
