"""Hidden characters and instructions to a model in foreign texts. Pure and bounded.

Many invisible characters have legitimate uses: joiners in emoji and in scripts that need them, direction marks beside
right-to-left letters, tags after a black flag. Those are not counted.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from inspector.documents import UNENCODABLE
from inspector.json_pointer import escaped
from inspector.text import counted, cut

MOST_LOOKED_AT: Final = 200_000
"""Maximum characters examined per text."""
MOST_TEXTS: Final = 5_000
"""Maximum texts examined per tool."""

_HOLDS_TEXT: Final = frozenset((str, dict, list))

_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SUSPECT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f"
    f"\u202a-\u202e\u2060-\u2069\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb{_SELECTORS}{_TAGS}]"
)
_FLAG: Final = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_JOINERS, _DIRECTIONS = "\u200c\u200d", "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"

_NAMES: Final = (
    ("tags", re.compile(f"[{_TAGS}]")),
    ("terminal commands", re.compile("[\x1b\x9b]")),
    ("control characters", re.compile("[\x00-\x1a\x1c-\x1f\x7f-\x9a\x9c-\x9f]")),
    ("direction marks", re.compile(f"[{_DIRECTIONS}]")),
    ("zero-width characters", re.compile("[\u200b-\u200d\u2060\ufeff]")),
    ("variation selectors", re.compile(f"[{_SELECTORS}]")),
)

_NEEDED: Final = (
    (("<",), ("important", "system", "secret", "instruction", "assistant", "admin")),
    (("ignore", "disregard", "forget"), ("previous", "prior", "above", "earlier", "all other")),
    (("not",), ("user",), ("tell", "inform", "mention", "reveal", "show", "notify", "alert")),
    (("without", "never"), ("user",), ("telling", "informing", "notifying", "mentioning")),
    (("~/.", "id_rsa", "id_ed25519", ".env"),),
    (("always", "must"), ("this",), ("tool",), ("first", "before")),
    (("instead",), ("tool",)),
)
"""Words in lower case for each pattern below: an ASCII text that matches contains one of each group.

Searching for these costs a fraction of the patterns.
"""

_SENDS: Final = "send|pass|include|upload|copy|paste|attach|contents? of"
_ORDERS: Final = (
    re.compile(
        r"(?i)(?<!--(?:secret|system)[ =])<\s*(?:/\s*)?(important|system|secret|instructions?|assistant|admin)\s*>"
    ),
    re.compile(
        r"(?i)\b(ignore|disregard|forget)\b.{0,30}\b(previous|prior|above|earlier|all other)\b"
        r"(?=[^\w\n]*(?:$|\n|[.!;:\"]|and\b|\w*\W*(?:instruct|prompt|rule|message|context|direct|guid|command|tool|order|said|word)))"
    ),
    re.compile(r"(?i)\bdo\s+not\s+(tell|inform|mention|reveal|show|notify|alert)\b.{0,40}\buser\b"),
    re.compile(r"(?i)\b(without|never)\s+(telling|informing|notifying|mentioning)\b.{0,30}\buser\b"),
    re.compile(
        rf"(?i)\b(?:{_SENDS}|read|open|cat|fetch)\b[^.\n]{{0,40}}?"
        r"(?:~/\.(ssh|aws|gnupg|kube|netrc|config/gcloud)\b|\bid_(rsa|ed25519)\b)"
        rf"|\b(?:{_SENDS})\b[^.\n]{{0,40}}?(?<![\w.])\.env\b"
    ),
    re.compile(r"(?i)\b(always|must)\s+(call|use|run|invoke)\s+this\s+tool\s+(first|before)\b"),
    re.compile(r"(?i)\binstead\s+of\s+(the|any)\s+other\s+tools?\b"),
)


class Hidden(msgspec.Struct, frozen=True):
    """The invisible characters of a text."""

    count: int
    first: int
    """Index of the first one."""
    sentence: str
    is_grave: bool
    """Whether they only serve to hide: words in tag characters, terminal commands, reversed text."""


def hidden_in(text: str) -> Hidden | None:
    """Return the hidden characters of a text; None if there are none."""
    text = text[:MOST_LOOKED_AT]
    if _SUSPECT.search(text) is None:
        return None
    bare = _FLAG.sub("\U0001f3f4", text)
    found = [match for match in _SUSPECT.finditer(bare) if not _is_honest(bare, match.start())]
    if not found:
        return None
    marks = [match.group() for match in found]
    words = "".join(chr(ord(mark) - 0xE0000) for mark in marks if 0xE0020 <= ord(mark) <= 0xE007E)
    message = f"{counted(len(marks), 'invisible character')} ({', '.join(_kinds(marks))})"
    if words:
        message += f"; they read {cut(words, 80)!r}"
    selectors = sum("\U000e0100" <= mark <= "\U000e01ef" or "\ufe00" <= mark <= "\ufe0f" for mark in marks)
    grave = bool(words) or any(mark in "\x1b\x9b\u202d\u202e" for mark in marks) or selectors > 8  # many are data
    return Hidden(len(marks), found[0].start(), message, grave)


def _is_honest(text: str, at: int) -> bool:
    mark = text[at]
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if mark in _JOINERS:
        return bool(before) and bool(after) and not before.isascii() and not after.isascii()
    if "\ufe00" <= mark <= "\ufe0f":
        return bool(before) and (not before.isascii() or before in "0123456789#*") and not _SUSPECT.match(before)
    if re.match(f"[{_DIRECTIONS}]", mark) and mark not in "\u202d\u202e":
        return _RIGHT_TO_LEFT.search(text) is not None
    return mark == "\xad" or (mark == "\ufeff" and at == 0)


def _kinds(marks: list[str]) -> list[str]:
    kinds = []
    for name, pattern in _NAMES:
        if any(pattern.match(mark) for mark in marks):
            kinds.append(name)
    return kinds or ["format characters"]


def order_in(text: str) -> str:
    """Return the part of a text that reads like an instruction to a model, without hidden characters; "" if none."""
    text = text[:MOST_LOOKED_AT]
    if not text.isascii():
        text = _SUSPECT.sub("", text)
    for pattern in _ORDERS:
        if (match := pattern.search(text)) is not None:
            return cut(match.group(), 80)
    return ""


def all_of(value: Any) -> str:
    """Return every text in a JSON value and every member name, one per line; at least those of `texts_in`.

    Costs a fraction of `texts_in`. If the result contains nothing hidden and no instruction, no single text does.
    """
    try:
        raw = msgspec.json.encode(value)
    except UNENCODABLE:
        raw = b"\\"
    if b"\\" not in raw:  # written without escapes, so that each text occurs verbatim
        return raw.decode()
    found: list[str] = []
    waiting = [value]
    for node in islice(_popped(waiting), MOST_TEXTS):
        if type(node) is str:
            found.append(node[:MOST_LOOKED_AT])
        elif type(node) is dict:
            found.extend(node)
            waiting.extend(reversed([each for each in node.values() if type(each) in _HOLDS_TEXT]))
        elif type(node) is list:
            waiting.extend(reversed([each for each in node if type(each) in _HOLDS_TEXT]))
    return "\n".join(found)


def _popped(waiting: list[Any]) -> Iterator[Any]:
    while waiting:
        yield waiting.pop()


def may_hide(words: str) -> bool:
    """Whether any of these texts may contain hidden characters."""
    return _SUSPECT.search(words) is not None


def may_order(words: str) -> bool:
    """Whether any of these texts may be an instruction."""
    if words.isascii():
        lower = words.lower()
        wanted = [order for order, needs in zip(_ORDERS, _NEEDED, strict=True) if all(map(_any_in(lower), needs))]
        return any(pattern.search(words) for pattern in wanted)
    bare = _SUSPECT.sub("", words)
    return any(pattern.search(bare) for pattern in _ORDERS)


def _any_in(text: str) -> Callable[[tuple[str, ...]], bool]:
    return lambda words: any(word in text for word in words)


def texts_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a JSON value with its JSON pointer, including names of members; up to a limit."""
    waiting: list[tuple[str, Any]] = [("", value)]
    for _ in range(MOST_TEXTS):
        if not waiting:
            return
        place, node = waiting.pop()
        if type(node) is str:
            yield place, node
        elif type(node) is dict:
            below = [(f"{place}/{escaped(key)}", each) for key, each in node.items()]
            yield from ((at, key) for (at, _), key in zip(below, node, strict=True) if _SUSPECT.search(key))
            waiting.extend(reversed([each for each in below if type(each[1]) in (str, dict, list)]))
        elif type(node) is list:
            inner = [(f"{place}/{at}", each) for at, each in enumerate(node) if type(each) in (str, dict, list)]
            waiting.extend(reversed(inner))


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as most clients count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
