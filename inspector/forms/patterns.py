r"""A pattern from a schema, tried on a text, in bounded time.

Patterns are the server's and some never end: `(a|a)*$` doubles its work with every letter, and a search by `re` can't
be stopped. So the search is the `regex` package's, which takes a time limit; it also reads what ECMA-262 has and `re`
has not (`\p{L}`, `(?<name>…)`). A linear engine such as RE2 would need no limit, but refuses the look-aheads that real
schemas use. What ECMA-262 does not have is refused: `regress` compiles each pattern first, with the flag u that JSON
Schema recommends and clients use; it has no time limit for searches. What is too long, too big or too slow is no match
and no mismatch: it raises.
"""

import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from inspector.text import cut

if TYPE_CHECKING:
    import regex


# Limits on the work that a server's schemas can cause: process-wide, and configurable by the user.

SCHEMA: Final = 100_000
PATTERN_MS: Final = 100
_SEARCH_S: Final = 0.25
_SYNTAX: Final = "^$.*+?()[]{}|\\"
_MOST_LETTERS: Final = 128
_MOST_TRIES: Final = 4_000
"""Of a sample of a pattern."""

LONGEST_PATTERN: Final = 2_000
LONGEST_TEXT: Final = 200_000

MOST_COPIES: Final = 20_000
"""Maximum letters of a pattern with its counted repetitions written out: `(a{100}){100}` has 10,000."""
_PART: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d{1,9})(?:,(\d{0,9}))?\}|.", re.DOTALL)

_LOOKAROUND: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\(\?<?[=!])", re.DOTALL)

_ESCAPE: Final = re.compile(
    r"\\(?:u\{(?P<point>[0-9a-fA-F]+)\}"
    r"|u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|c(?P<control>[A-Za-z])|k<(?P<group>[^>]*)>|(?P<space>s)|.)",
    re.DOTALL,
)

_SPACES: Final = r"\s\xa0\ufeff\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
r"""What ECMA-262's `\s` is, beyond ASCII too."""


class WorkBounds(NamedTuple):
    """Limits on the work for schemas."""

    schema: int = SCHEMA
    """Maximum size of a schema, and number of steps per validation: about half a second, or 10,000 small items."""
    pattern_ms: int = PATTERN_MS
    """Timeout of a pattern search, in milliseconds."""

    @property
    def seconds(self) -> float:
        """Timeout of a validation with a clock, in seconds; longer if more steps are allowed."""
        return _SEARCH_S * max(1.0, self.schema / SCHEMA)


class _Holder:
    now = WorkBounds()


class PatternUnusable(Exception):
    """The pattern can't be evaluated; the message says why."""


def bounds() -> WorkBounds:
    """Return the current limits."""
    return _Holder.now


def move(to: WorkBounds) -> WorkBounds:
    """Set the limits, and return the previous ones."""
    before, _Holder.now = _Holder.now, to
    return before


def matches(pattern: str, text: str) -> bool:
    """Return whether `pattern` is found anywhere in `text`, as JSON Schema defines it. Raises: PatternUnusable."""
    found = compiled(pattern)
    if len(text) > LONGEST_TEXT:
        raise PatternUnusable(f"a string of {len(text)} characters is too long to test the pattern {_short(pattern)}")
    try:
        return found.search(text, timeout=bounds().pattern_ms / 1000) is not None
    except TimeoutError:
        raise PatternUnusable(f"the pattern {_short(pattern)} takes too long (--max pattern=MS raises that)") from None


def example_of(pattern: str, shortest: int = 0) -> str | None:
    """Return a short text of at least this length that a pattern matches; None if none is found quickly.

    It grows letter by letter, by the first one after which the whole pattern can still match. Punctuation that the
    pattern names is tried first, then its letters, so that repetitions end.
    """
    try:
        found = compiled(pattern)
    except PatternUnusable:
        return None
    marks = [*re.findall(r"\\(\W)", pattern), *(each for each in pattern if not each.isalnum() and each not in _SYNTAX)]
    letters = dict.fromkeys((*marks, *filter(str.isalnum, pattern), *"x0Aa1 -_./:@", *_SYNTAX))
    text, tries, budget = "", 0, bounds().pattern_ms / 1000
    try:
        while len(text) <= _MOST_LETTERS and tries < _MOST_TRIES:
            if len(text) >= shortest and found.search(text, timeout=budget):
                return text
            tries += len(letters)
            grown = (text + each for each in letters)
            text = next(each for each in grown if found.match(each, partial=True, timeout=budget))
    except (TimeoutError, StopIteration):
        pass
    return None


def ecmascript_problem(pattern: str) -> str:
    """Return why a pattern is no regular expression of ECMA-262 with the flag u; "" if it is, or can't be examined."""
    from regress import Regex, RegressError  # 3 ms, only when needed

    if len(pattern) > LONGEST_PATTERN:
        return ""
    # The engine takes no lone surrogates.
    escaped = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half.group()):04x}", pattern)
    try:
        Regex(escaped, "u")
    except RegressError as error:
        return "" if "nested" in str(error) else f"{error!s:.80}"
    return ""


def has_lookaround(pattern: str) -> bool:
    """Return whether a pattern has a lookahead or lookbehind, outside escapes and character classes."""
    return any(found[1] for found in _LOOKAROUND.finditer(pattern[:LONGEST_PATTERN]))


def usable(pattern: str) -> bool:
    """Return whether the pattern can be tried here: valid, and not too large."""
    try:
        compiled(pattern)
    except PatternUnusable:
        return False
    return True


@lru_cache(maxsize=256)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern for searches with a timeout.

    Raises: PatternUnusable.
    """
    import regex  # 12 ms, only when needed

    if len(pattern) > LONGEST_PATTERN or _copies(pattern) > MOST_COPIES:
        raise PatternUnusable(f"the pattern {_short(pattern)} is too big")
    if problem := ecmascript_problem(pattern):
        raise PatternUnusable(f"{_short(pattern)} is not a regular expression of ECMAScript: {problem}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(_as_python(pattern), regex.VERSION0 | _letters(pattern))
    except (regex.error, RecursionError, OverflowError, ValueError):
        raise PatternUnusable(f"{_short(pattern)} is not a regular expression") from None


def _letters(pattern: str) -> int:
    r"""ECMA-262's `\d` and `\w` are ASCII; Unicode's letters come with `\p`, which the flag would make ASCII too."""
    import regex

    return 0 if r"\p" in pattern or r"\P" in pattern else int(regex.ASCII)


def _short(pattern: str) -> str:
    return cut(pattern, 60)


def _copies(pattern: str) -> int:
    """Return how many letters a pattern has, about, with its counted repetitions written out."""
    open_groups, last = [0], 0
    for part in _PART.finditer(pattern):
        if part[1]:
            times = max(int(part[1]), int(part[2] or 0), 1)
            open_groups[-1] += last * (times - 1)
            last *= times
        elif part[0] == "(":
            open_groups.append(0)
        else:
            last = open_groups.pop() if part[0] == ")" and len(open_groups) > 1 else 1
            open_groups[-1] += last
        if open_groups[-1] > MOST_COPIES:
            break
    return sum(open_groups)


def _as_python(pattern: str) -> str:
    """Convert ECMA-262 syntax for `regex`: `$` matches only at the very end; `[^]` is any character, `[]` none."""
    out: list[str] = []
    at, in_class = 0, False
    while at < len(pattern):
        char = pattern[at]
        if found := _ESCAPE.match(pattern, at):
            out.append(_escape_as_python(found, in_class=in_class))
            at = found.end()
            continue
        if not in_class and pattern.startswith(("[^]", "[]"), at):
            is_any = pattern[at + 1] == "^"
            out.append(r"[\s\S]" if is_any else "(?!)")
            at += 3 if is_any else 2
            continue
        in_class = char == "[" or (in_class and char != "]")
        out.append(r"\Z" if char == "$" and not in_class else char)
        at += 1
    return "".join(out)


def _escape_as_python(found: re.Match[str], *, in_class: bool) -> str:
    r"""Convert an escape: `\u{1F600}` and a surrogate pair are one character, `\k<name>` refers to a group."""
    if found["point"]:
        return f"\\U{int(found['point'], 16):08x}"
    if found["high"]:
        return f"\\U{0x10000 + ((int(found['high'], 16) - 0xD800) << 10) + int(found['low'], 16) - 0xDC00:08x}"
    if found["control"]:
        return f"\\x{ord(found['control']) % 32:02x}"
    if found["group"]:
        return f"(?P={found['group']})"
    if found["space"]:
        return _SPACES if in_class else f"[{_SPACES}]"
    return found[0]
