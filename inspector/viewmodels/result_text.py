"""What kind of text a text is: JSON, Markdown or plain. A guess that changes the look, never the text."""

import json
import re
from enum import StrEnum
from typing import Any

import msgspec

from inspector.viewmodels import text

MOST_SNIFFED = 2_000_000
"""Characters; a longer text is plain."""


class TextKind(StrEnum):
    """How to show a text."""

    PLAIN = "plain"
    JSON = "json"
    MARKDOWN = "markdown"


_MARKDOWN = re.compile(
    r"^(?:\#{1,6}\ \S|```|~~~|>\ \S|[-*+]\ \S|\d{1,3}[.)]\ \S|\|.{1,200}\|\s*$)"  # headings, fences, lists, tables
    r"|\*\*[^*\n]{1,200}\*\*|\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)|`[^`\n]{1,200}`",  # bold, links, code
    re.MULTILINE | re.VERBOSE,
)
_TRACEBACK = re.compile(
    r"\s*(?:\w*(?:error|exception)\b\s*[:\]]|traceback \(most recent call last\)|error\b(?! ?free)|failed to )",
    re.IGNORECASE,
)


def kind_of(foreign: str, mime_type: str = "") -> TextKind:
    """Guess the kind; a media type that names one is believed if the text does not contradict it."""
    plain = mime_type.partition(";")[0].strip().lower()
    if len(foreign) > MOST_SNIFFED:
        return TextKind.PLAIN
    if _is_json(foreign):
        return TextKind.JSON
    if plain in ("text/markdown", "text/x-markdown"):
        return TextKind.MARKDOWN
    if plain and plain != "text/plain":
        return TextKind.PLAIN
    return TextKind.MARKDOWN if len(_MARKDOWN.findall(foreign[:20_000])) >= 2 else TextKind.PLAIN


def _is_json(foreign: str) -> bool:
    stripped = foreign.strip()
    if stripped[:1] + stripped[-1:] not in ("{}", "[]"):
        return False
    try:
        msgspec.json.decode(stripped)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def sounds_like_an_error(foreign: str) -> bool:
    """Whether a text begins as the report of a failure does."""
    return _TRACEBACK.match(foreign[:200]) is not None


def pretty(value: Any) -> str:
    """JSON over several lines, members in the given order, safe to show."""
    try:
        raw = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except (UnicodeError, OverflowError, RecursionError, msgspec.MsgspecError, TypeError):
        raw = _tolerant(value)
    return text.visible(raw, newlines=True)


def pretty_text(foreign: str) -> str:
    """The same for JSON text, numbers as they were written; a text that is no JSON comes back as it is, made safe."""
    try:
        raw = msgspec.json.format(foreign.strip().encode(), indent=2).decode()
    except (UnicodeError, RecursionError, msgspec.MsgspecError):
        raw = foreign
    return text.visible(raw, newlines=True)


def _tolerant(value: Any) -> str:
    try:
        return json.dumps(value, indent=2)
    except (ValueError, RecursionError, TypeError):
        return "(nested too deeply to be shown)"
