"""Sanitizing of untrusted text: the only way from a server's bytes to a screen, a title or a terminal.

The rule: whatever `visible` returns moves no cursor, changes no colour, reorders nothing and hides nothing. Each
character that could is replaced by something readable (`␛[31m`, `‹U+202E›`), so that the reader sees it. This module
does not know markup: the result is plain text and must be shown as such.
"""

import re
import time
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import groupby
from typing import Any, AnyStr, cast

_PICTURES = 0x2400  # the Unicode block "Control Pictures" is in the order of C0
_LOOKS_EMPTY = frozenset(
    # Printable by category, but invisible: joiners, fillers, selectors. Each can carry a hidden message.
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0}
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)
_ORDINARY = re.compile(
    "[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u037a-\u037f\u0391-\u03a1\u03a3-\u0482\u048a-\u052f"
    "\u2010-\u2027\u2190-\u21ff\u22ef\u2500-\u259f\u25a0-\u25fc\u2713\u2717]*"
)
"""Characters that are one cell wide. Most lines have no others, so that their width is their length."""
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NOT_SHOWN = re.compile(r"(?is)<(script|style|head)\b.*?</\1\s*>")
_MOST_READ, _MOST_OF_BODY = 4096, 200
_SELECTOR = "\ufe0f"
_EMOJI_SELECTOR = f"(?<=[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]){_SELECTOR}"
"""Compiled on first use: that takes longer than importing most modules, and few texts need it."""
MARKS_KEPT = 3
"""Maximum number of combining marks on one letter."""
_BIDI = frozenset({0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)})
_TAGS = range(0xE0000, 0xE0080)
_ACTING = f"[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{''.join(map(chr, _BIDI))}{chr(_TAGS.start)}-{chr(_TAGS.stop - 1)}]"
"""Control characters other than newline and tab, lone surrogates, direction controls, and tags."""


class _LazyPattern:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._source, self._flags)
        self.__dict__.update((each, getattr(compiled, each)) for each in dir(compiled) if each[0] != "_")
        return getattr(compiled, name)


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled on first use: all of them take a tenth of a short command."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(source, flags))


_MAYBE_MARKS = lazy_pattern(r"[^\w\x00-\x7f]{4,}|(?:^|\n)[^\w\x00-\x7f]|[\u1160-\u11ff\ud7b0-\ud7ff]{4,}")


class _Replacements(dict[int, str]):
    """Replacement of each character, computed on first use; a cache of limited size."""

    def __missing__(self, code: int) -> str:
        replacement = _replacement(chr(code))
        if len(self) < 8192:  # limits the memory for a text with every code point
            self[code] = replacement
        return replacement


def _replacement(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(char) == "Zs":  # no-break and typographic spaces
        return "  " if code == 0x3000 else " "
    return char if is_seen(char) else f"‹U+{code:04X}›"


def is_seen(char: str) -> bool:
    """Return whether a terminal shows something for a character, even just a space, and does nothing else."""
    return ord(char) not in _LOOKS_EMPTY if char.isprintable() else unicodedata.category(char) == "Zs"


_REPLACEMENTS = _Replacements()
_REPLACEMENTS_IN_LINES = _Replacements({0x0A: "\n", 0x09: "    "})


def visible(text: str, *, limit: int | None = None, newlines: bool = False) -> str:
    """Return `text` with all characters that are invisible or affect the terminal replaced by readable ones.

    `limit` first truncates `text` to that many characters, and adds "…"; None: no limit. With `newlines`,
    line breaks are kept and a tab becomes four spaces; otherwise the result is one line.
    """
    cut = limit is not None and len(text) > limit
    if cut:
        text = text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = _readable(text, _REPLACEMENTS_IN_LINES if newlines else _REPLACEMENTS)
    return text + "…" if cut else text


def _readable(text: str, replacements: _Replacements) -> str:
    if _SELECTOR in text:
        # A single selector after a symbol only requests its emoji form. It has no meaning and makes the width
        # uncertain.
        text = re.sub(_EMOJI_SELECTOR, "", text)
    text = text.translate(replacements)
    return text if text.isascii() else _MAYBE_MARKS.sub(_calm_marks, text)


def _calm_marks(found: re.Match[str]) -> str:
    """Give marks without a letter a base character, and limit stacked marks that would cover other lines."""
    parts: list[str] = []
    for marks, group in groupby(found.group(), is_mark):
        run = "".join(group)
        if not marks:
            parts.append(run)
            continue
        before = parts[-1] if parts else found.string[max(found.start() - 1, 0) : found.start()]
        if before[-1:] in ("", "\n"):
            parts.append("◌")
        parts.append(run[:MARKS_KEPT])
        if len(run) > MARKS_KEPT:
            parts.append(f"‹+{len(run) - MARKS_KEPT} marks›")
    return "".join(parts)


def is_mark(char: str) -> bool:
    """Return whether a character is drawn onto the previous one. Joining Korean vowels and finals count as such."""
    if unicodedata.category(char)[0] == "M":
        return True
    return "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"


def decode(payload: bytes) -> str:
    """Decode UTF-8; invalid bytes are shown as `‹xFF›`. The result still needs `visible`."""
    try:
        return payload.decode()
    except UnicodeDecodeError:
        text = payload.decode(errors="surrogateescape")
        return re.sub("[\udc80-\udcff]", lambda found: f"‹x{ord(found.group()) - 0xDC00:02X}›", text)


def cell_width(text: str) -> int:
    """Return the width of `text` in terminal cells. The text must have passed through `visible`."""
    return len(text) if is_narrow(text) else sum(map(_char_width, text))


def is_narrow(text: str) -> bool:
    """Return whether the width of `text` is its length, as nearly always. Not every text with that width is one."""
    return text.isascii() or _ORDINARY.fullmatch(text) is not None


def _char_width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 0 if is_mark(char) else 1


def fit(text: str, width: int) -> str:
    """Return `text` if it is at most `width` cells wide, otherwise truncated with "…" to at most `width` cells."""
    if len(text) <= width // 2:
        return text
    if width <= 0:
        return ""
    if _ORDINARY.fullmatch(text, 0, width + 1):
        return text if len(text) <= width else text[: width - 1] + "…"
    if cell_width(text[: width + 1]) <= width >= len(text):
        return text
    end = used = 0
    while end < len(text) and (used := used + _char_width(text[end])) < width:
        end += 1
    rest = text[end:]
    if used <= width and all(map(is_mark, rest[1:])):
        return text
    return text[:end] + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return `text` in exactly `width` cells: truncated with "…", or padded (on the left if `right`)."""
    if len(text) <= width and is_narrow(text):  # nearly always
        return text.rjust(width) if right else text.ljust(width)
    text = fit(text, width)
    space = " " * (width - cell_width(text))
    return space + text if right else text + space


def one_line(text: str, width: int) -> str:
    """Return the beginning of untrusted `text` as one safe line of at most `width` cells."""
    return fit(visible(text, limit=4 * max(width, 0) + 16), width)


def counted(number: int, one: str) -> str:
    """Return a number with what it counts: "1 call", "1,043 calls"."""
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def cut(text: str, most: int) -> str:
    """Return the beginning of a text that a sentence quotes: at most so many characters, then "…" where it was cut."""
    return text if len(text) <= most else text[:most] + "…"


def excerpt_of(body: bytes) -> str:
    """Return the beginning of a body of HTTP on one line; of a web page its text without what is not shown."""
    text = body[:_MOST_READ].decode("utf-8", "replace").strip()
    if text.startswith("<"):
        text = _TAG.sub(" ", _NOT_SHOWN.sub(" ", text)).strip() or text
    return " ".join(text.split())[:_MOST_OF_BODY]


def for_clipboard(text: str) -> tuple[str, int]:
    """Remove characters that could act when pasted. Return the text and the number of removed characters.

    Newlines and tabs are kept, and so are characters that are only invisible, such as the joiners inside an emoji.
    """
    return re.subn(_ACTING, "", text)


def human_size(size: int) -> str:
    """Format bytes in at most seven cells: `311 B`, `9.1 kB`, `12 MB`; a kB is 1000 bytes."""
    if size < 1000:
        return f"{size} B"
    power = 1
    while power < 4 and size >= 999.5 * 1000**power:
        power += 1
    value = size / 1000**power
    return f"{value:.{value < 9.95:d}f} {'?kMGT'[power]}B"


def rounded(number: float) -> str:
    """Format a number with three significant digits, `14,500` and `0.0625`: without an exponent, unless it is tiny."""
    return f"{float(f'{number:.3g}'):,.16g}"


def enumerated(words: Sequence[str]) -> str:
    """Return words as a phrase: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def human_duration(nanoseconds: int) -> str:
    """Format a duration in at most eight cells: `31 ms`, `1.24 s`, `14.2 s`, `2m 05s`, `3h 12m`."""
    milliseconds = nanoseconds / 1e6
    if milliseconds < 0.9995:
        return f"{nanoseconds / 1e3:.0f} µs"
    if milliseconds < 9.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = nanoseconds / 1e9
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


def clock(wall_ns: int, zone: tzinfo | None = None) -> str:
    """Format nanoseconds since 1970 as time of day, `14:03:22.718`; `zone` None is local time."""
    seconds, fraction = divmod(wall_ns // 1_000_000, 1000)
    try:
        return f"{_time_of_day(seconds, zone, time.tzname)}.{fraction:03}"
    except (OverflowError, OSError, ValueError):  # a file may contain any number
        return "--:--:--.---"


@lru_cache(maxsize=64)
def _time_of_day(seconds: int, zone: tzinfo | None, _local: tuple[str, str]) -> str:
    """Format seconds since 1970, cached because many entries share one. `_local` names the local time zone."""
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone(zone):%H:%M:%S}"


def estimate_tokens(size: int) -> int:
    """Estimate the number of language-model tokens in so many bytes of JSON. Always label it as an estimate."""
    return -(-size // 4)
