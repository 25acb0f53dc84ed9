"""Judges the responses to the valid calls of one tool by comparison: values that change, are ignored, or are slow.

Each judgement needs an echo or a contrast as proof, because most tools transform what they get.
"""

import json
import re
import struct
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.features.probe.plan import BEYOND_DOUBLE, BEYOND_INT, MARKED, WITH_FRACTION, WITH_OFFSET, ProbeCall
from inspector.features.probe.words import words

BEGIN, END = MARKED[:2], MARKED[-2:]
_LIMIT: Final = re.compile(r"(?i)limit|max_?(?:results?|items|count)|page_?size|per_?page|top_?k")
"""Names of arguments that say how many items a result may have."""
_MIDDLE: Final = MARKED[2:-2]
_BETWEEN: Final = re.compile(f"{BEGIN}(.{{0,80}}?){END}", re.DOTALL)
_CUT: Final = re.compile(f"{BEGIN}([^{END}\ufffd\ud800-\udfff]{{0,12}}[\ufffd\ud800-\udfff])")
"""The marked text until a character of which half was cut off."""
_AS_DOUBLE: Final = re.compile(rf"{int(float(BEYOND_DOUBLE))}|\b9\.0072?0?\d{{0,14}}[eE]\+?15\b")
"""How the integer beyond 2^53 is written after it was a double."""
_WITHOUT_FRACTION: Final = re.compile(r"(?<![\d.])4827[12](?![\d.,]\d)")
_AS_FLOAT: Final = re.compile(rf"\b{struct.unpack('f', struct.pack('f', WITH_FRACTION))[0]}")
_VERBATIM = words("verbatim")
"""Names of arguments whose texts are kept as they are; terms, titles and the like are trimmed by many tools."""
_CASED = words("cased")
"""Names of arguments in whose texts capital letters mean something."""
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_PLAIN: Final = re.compile(rf"(?<![\d-]){BEYOND_INT}(?!\d)")
_WRAPPED: Final = re.compile(rf"{BEYOND_INT - 2**32}(?!\d)")
_WITHOUT_ASTRAL: Final = "".join(each for each in _MIDDLE if ord(each) < 0x10000)
_LOW_BYTES: Final = _MIDDLE.encode("utf-16-le")[::2].decode("latin-1")
_SAYS_TRUE: Final = r"(?im)(?:^[\s*-]{{0,9}}|[,;(\[{{|:]\s{{0,9}}){}(?:=|: ?)true\b"
"""A text that says that an argument is true, and not in a sentence, as in “Set verbose=true for more”."""
_LOST: Final = re.compile("[?\ufffd\ud800-\udfff]")
_LONG: Final = 100
SLOWER: Final = 10
"""How many times longer a slow call takes than the median of the tool's valid calls."""
FEWEST: Final = 4
"""Minimum number of calls of which a median is taken."""
SLOW_S: Final = 0.15
"""Minimum duration of a slow call, in seconds: below it, the machine explains a difference."""
_SLOW_LIST_S: Final = 0.5
"""The same of a list of many items, each of which takes its time."""

Judged = tuple[str, str, int]
"""Check, sentence, and the place of the call among those of the tool."""


def changed_values(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield values that come back changed. `texts`: the text of each successful response, None for others."""
    for at, (call, text) in enumerate(zip(calls, texts, strict=True)):
        if text is None or not call.valid or not call.argument:
            continue
        sent = call.arguments.get(call.argument)
        for value in sent if isinstance(sent, list) else sent.values() if isinstance(sent, dict) else [sent]:
            if changed := _changed(value, text):
                yield changed[0], f"{changed[1]} if {call.what}", at


def _changed(value: Any, text: str) -> tuple[str, str] | None:
    """Return the check and what became of a value in the text of a response; None if nothing shows that it changed."""
    if value == WITH_FRACTION and (found := _WITHOUT_FRACTION.search(text)) and str(value) not in text:
        return "fraction-lost", f"the number {value} comes back as {found[0]}"
    if value == WITH_FRACTION and (found := _AS_FLOAT.search(text)):
        return "value-changed", f"the number {value} comes back as {found[0]}"
    if type(value) is int and (came := _number_in(text, value)):
        return "value-changed", f"the integer {value} comes back as {came}"
    if value == MARKED and MARKED not in text:
        broken = [found[1] + END for found in _BETWEEN.finditer(text) if _is_broken(found[1])]
        if broken := broken or [found[1] for found in _CUT.finditer(text)]:
            return "value-changed", f"the text {MARKED!r} comes back as {BEGIN + broken[0]!r}"
    return None


def changed_members(calls: Sequence[ProbeCall], members: Sequence[Mapping[str, Any]]) -> Iterator[Judged]:
    """Yield values that come back changed under their own name. `members`: those of each successful result."""
    for at, (call, found) in enumerate(zip(calls, members, strict=True)):
        for name in ([call.argument] if call.argument else call.arguments if not at else ()) if call.valid else ():
            value, came = call.arguments.get(name), found.get(name, found.get(""))
            came = (value is False and bool(re.search(_SAYS_TRUE.format(re.escape(name)), str(came)))) or came
            if type(came) is not type(value) or came == value:
                continue
            what = call.what if call.argument else f"{name!r} is {json.dumps(value)[:60]}"
            if value is False and not any(each.get(name) is False for each in members):  # a tool may negate it
                yield "value-ignored", f"the result has true as {name!r} if {what}", at
            elif how := _how_changed(name, value, came, is_named=name in found):
                yield "value-normalized", f"{name!r} comes back {how} if {what}", at


def _how_changed(name: str, value: Any, came: Any, *, is_named: bool) -> str:
    """Return how a value was changed that is still the same in part; "" for anything else, as a result.

    `is_named`: whether it comes back under its own name, so that it is the value that was sent.
    """
    if type(value) in (int, float):
        return "without its sign" if came == -value and value < 0 else ""
    if isinstance(value, list):
        texts, kept = [str(each) for each in value], [str(each) for each in came]
        if not texts or texts[: len(kept)] == kept:
            return f"with {len(kept):,} items" if kept else ""
        if {*texts} != {*kept} or len(kept) > len(texts):
            return ""
        return "without the item that is there twice" if len(kept) < len(texts) else "in another order"
    if not isinstance(value, str):
        return ""
    if is_named and _DATE.match(value) and _DATE.match(came) and _DATE.sub("", value) == _DATE.sub("", came):
        return f"as {came[:40]!r}"
    if is_named and value == WITH_OFFSET and came[:19] == value[:19] and came[19:] in ("Z", "+00:00"):
        return f"as {came!r}, which is another moment"
    if is_named and came and len(value) > _LONG and value.startswith(came):
        return f"with {len(came):,} of its characters"
    bare = value.strip()
    if is_named and _CASED.search(name) and bare != came.strip() in (bare.lower(), bare.upper()):
        return "in one case"
    if is_named and came != value and came == unicodedata.normalize("NFD", value):
        return "with decomposed characters"
    if not _VERBATIM.search(name):
        return ""
    if came == unicodedata.normalize("NFC", value):
        return "with composed characters"
    return "without the blanks around it" if came == bare else ""


def _number_in(text: str, value: int) -> str:
    """Return what became of an integer that does not come back as it was; "" for no trace of it."""
    if value == BEYOND_DOUBLE and str(value) not in text:
        found = _AS_DOUBLE.search(text)
        return found[0] if found else ""
    if value == BEYOND_INT and not _PLAIN.search(text) and _WRAPPED.search(text):
        return str(BEYOND_INT - 2**32)
    return ""


def _is_broken(came: str) -> bool:
    """Whether characters were lost or decoded by another encoding; other changes may be what the tool is for."""
    if _LOST.search(came) or came in (_WITHOUT_ASTRAL, _LOW_BYTES):
        return True
    for encoding in ("latin-1", "cp1252"):
        try:
            if came and came.encode(encoding).decode("utf-8", "ignore") and came != _MIDDLE:
                return came.encode(encoding).decode("utf-8") in _MIDDLE
        except (UnicodeEncodeError, UnicodeDecodeError):
            continue
    return False


def ignored_values(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield the values 0, false and [] that the tool treats as missing, so that it uses another default.

    An empty text is left out: that it means "as by default" is a widespread convention.

    Proof: the result is that of the call without the argument, whose declared default is another value, and other
    values, 1 among them, give other results.
    """
    base = next((text for call, text in zip(calls, texts, strict=True) if call.valid and not call.argument), None)
    if base is None:
        return
    for at, (call, text) in enumerate(zip(calls, texts, strict=True)):
        value = call.arguments.get(call.argument)
        if text != base or not (call.valid and call.differs_from_default and value in (0, [])):
            continue
        others = [
            (each.arguments.get(call.argument), other)
            for each, other in zip(calls, texts, strict=True)
            if each.valid and each.argument == call.argument and each.arguments.get(call.argument) and other is not None
        ]
        if any(other != base for _, other in others) and (1, base) not in others:
            yield "value-ignored", f"the result is that of a call without it if {call.what}", at


def unapplied_defaults(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> list[int]:
    """Return the places of the calls without an argument whose result is not that of its declared default."""
    base = next((text or "" for call, text in zip(calls, texts, strict=True) if call.valid and not call.argument), "")
    pairs = [(at, call, texts[at] or "") for at, call in enumerate(calls) if call.leaves_default]
    same = [each for each in pairs if (each[1].argument in base) is (each[1].argument in each[2])]  # sent, and shown
    return [at for at, _, text in same if base and text and text != base]


def ignored_limits(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield the first call that asks for one item, by an argument such as `limit`, and gets a list of more."""
    for at, (call, text) in enumerate(zip(calls, texts, strict=True)):
        asks_one = call.valid and call.arguments.get(call.argument) == 1 and _LIMIT.fullmatch(call.argument)
        count = _items_in(text) if text is not None and asks_one else 0
        if count > 1:
            yield "value-ignored", f"the result is a list of {count} items if {call.what}", at
            return


def _items_in(text: str) -> int:
    """Return how many items a text has that is a JSON array, or an object with one array only; 0 for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    lists = [each for each in value.values() if isinstance(each, list)] if isinstance(value, dict) else [value]
    return len(lists[0]) if len(lists) == 1 and isinstance(lists[0], list) else 0


def remembered_texts(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield the first call whose response has the marked text of an earlier call, but not in its own arguments.

    A text that the tool returned before it was sent it is in what other tools keep.
    """
    marked = [at for at, call in enumerate(calls) if MARKED in str(call.arguments)]
    if marked and any(text is not None and MARKED in text for text in texts[: marked[0]]):
        return
    for at in range(marked[0] + 1 if marked else len(calls), len(calls)):
        text = texts[at]
        if text is not None and MARKED in text and at not in marked:
            yield "text-of-another-call", f"the response has the text of an earlier call, {MARKED!r}", at
            return


def usual_of(calls: Sequence[ProbeCall], seconds: Sequence[float | None]) -> float:
    """Return the median duration of the valid calls, at least FEWEST; 0 for fewer. None: does not count."""
    counted = sorted(each for call, each in zip(calls, seconds, strict=True) if call.valid and each is not None)
    return counted[len(counted) // 2] if len(counted) >= FEWEST else 0.0


def slow_places(calls: Sequence[ProbeCall], seconds: Sequence[float | None]) -> list[int]:
    """Return the places of valid calls with a value that took much longer than the others; None: do not count."""
    usual = usual_of(calls, seconds)
    limit = max(SLOWER * usual, SLOW_S)
    is_list = [isinstance(call.arguments.get(call.argument), list) for call in calls]
    return [
        at
        for at, (call, each) in enumerate(zip(calls, seconds, strict=True))
        if usual
        and (call.valid and call.argument and each is not None)
        and each > (max(limit, _SLOW_LIST_S) if is_list[at] else limit)
    ]
