"""What a person types to find something in a payload, as patterns: a text, or with `~` before it its letters in order.

`~usrid` finds `userId` and `user_record_id`: between two of its letters up to eleven others may stand, but no blank and
no quotation mark. `~~` stands for one `~`. Small letters match capitals too.
"""

import re

from inspector.viewmodels.text import visible

FUZZY = "~"
_APART = 11
"""Others between two letters. A gap ends at the first place where the next letter stands, so nothing is tried twice."""


def text_of(needle: str) -> tuple[str, bool]:
    """What is looked for, and whether its letters may stand apart."""
    if not needle.startswith(FUZZY) or not needle[len(FUZZY) :].strip():
        return needle, False
    rest = needle[len(FUZZY) :]
    return (rest, False) if rest.startswith(FUZZY) else ("".join(rest.split()), True)


def in_json(needle: str) -> re.Pattern[bytes]:
    """Return what finds it in JSON, written as it is or with each foreign letter as an escape."""
    text, apart = text_of(needle)
    if apart:
        return re.compile(_apart_in_json(text), _flags(text))
    spellings = {text, "".join(map(_escaped, text))}
    return re.compile(b"|".join(re.escape(each.encode(errors="replace")) for each in spellings), _flags(text))


def in_text(needle: str) -> re.Pattern[str]:
    """Return what finds it in text as it is shown."""
    text, apart = text_of(needle)
    return re.compile(_apart(visible(text)) if apart else re.escape(visible(text)), _flags(text))


def _flags(text: str) -> re.RegexFlag:
    return re.IGNORECASE if text == text.lower() else re.NOFLAG


def _apart(text: str) -> str:
    parts = [rf'[^\s"{re.escape(letter)}]{{0,{_APART}}}{re.escape(letter)}' for letter in text[1:]]
    return re.escape(text[:1]) + "".join(parts)


def _apart_in_json(text: str) -> bytes:
    parts = []
    for place, letter in enumerate(text):
        written = letter.encode(errors="replace")
        spelled = re.escape(written)
        first = re.escape(written[:1])
        if not letter.isascii():
            spelled, first = b"(?:%b|%b)" % (spelled, re.escape(_escaped(letter).encode())), first + rb"\\"
        gap = b'[^\\s"%b]{0,%d}' % (first, _APART) if place else b""
        parts.append(gap + spelled)
    return b"".join(parts)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isascii():
        return char
    units = char.encode("utf-16-be", errors="replace")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
