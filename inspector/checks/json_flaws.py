"""What is wrong with text that should be JSON, and where."""

import base64
import json
import re

_MOST_READ = 1 << 20
"""Maximum bytes of a text that is parsed for its flaw."""
_BEFORE, _AFTER = 24, 24
"""Characters that are quoted before and after a flaw."""
_WORD = re.compile(r"[A-Za-z_]\w{0,30}")
_COMMA = re.compile(r",\s*$")
_NOT_IN_JSON = {
    "None": "None of Python",
    "True": "True of Python",
    "False": "False of Python",
    "undefined": "undefined of JavaScript",
    "nil": "nil",
}
"""Words of programming languages in the place of a value."""
_START = 64
"""Characters of a text that are tried as base64: a multiple of four."""
ENDS = "it ends before the value is complete"


def is_encoded_json(text: bytes) -> bool:
    """Whether a text is an object or array of JSON in base64, as of a gateway that does not decode it."""
    try:
        return base64.b64decode(text[:_START].strip(), validate=True)[:1] in (b"{", b"[")
    except ValueError:
        return False


def flaw_of(text: bytes) -> str:
    """Return what a JSON parser refuses in a text, with its place; "" if it is valid, or too long to be parsed."""
    if len(text) > _MOST_READ:
        return ""
    shown = text.decode("utf-8", "replace").strip()
    try:
        json.loads(shown)
    except json.JSONDecodeError as error:
        what = _what(shown, error)
        if what == ENDS:
            return what
        near = shown[max(0, error.pos - _BEFORE) : error.pos + _AFTER]
        return f"{what} at character {error.pos + 1}, near {' '.join(near.split())!r}"
    except RecursionError:
        return "it is nested too deeply"
    return ""


def _what(text: str, error: json.JSONDecodeError) -> str:
    at = error.pos
    if at >= len(text) or (error.msg.startswith("Unterminated") and "\n" not in text[at:]):
        return ENDS
    if error.msg.startswith("Invalid control"):
        return "a control character is not escaped"
    if error.msg.startswith("Invalid \\"):
        return "a backslash begins no valid escape"
    if text[at] == "'":
        return "single quotes are used"
    if (text[at] in "}]" and _COMMA.search(text[:at])) or error.msg.startswith("Illegal trailing comma"):  # Python 3.13
        return "a comma precedes the closing bracket"
    if error.msg.startswith("Extra data"):
        return "more text follows the value"
    if (word := _WORD.match(text, at)) is not None and error.msg.startswith("Expecting value"):
        return f"{_NOT_IN_JSON.get(word[0], f'the word {word[0]} without quotes')} is not a JSON value"
    if error.msg.startswith("Expecting ',' delimiter"):
        return "a value without quotes, or a missing comma"
    if error.msg.startswith("Expecting property name"):
        return "the name of a member has no quotes"
    return error.msg[:1].lower() + error.msg[1:]
