"""Judges the responses to the valid calls of one tool by comparison: values that change, are ignored, or are slow.

Each judgement needs an echo or a contrast as proof, because most tools transform what they get.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.features.probe.plan import BEYOND_DOUBLE, MARKED, ProbeCall

BEGIN, END = MARKED[:2], MARKED[-2:]
_MIDDLE: Final = MARKED[2:-2]
_BETWEEN: Final = re.compile(f"{BEGIN}(.{{0,80}}?){END}", re.DOTALL)
_ROUNDED: Final = str(int(float(BEYOND_DOUBLE)))
_LOST: Final = re.compile("[?\ufffd\ud800-\udfff]")
SLOWER: Final = 10
"""How many times longer a slow call takes than the median of the tool's valid calls."""
SLOW_S: Final = 0.15
"""Minimum duration of a slow call, in seconds: below it, the machine explains a difference."""

Judged = tuple[str, str, int]
"""Check, sentence, and the place of the call among those of the tool."""


def changed_values(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield values that come back changed. `texts`: the text of each successful response, None for others."""
    for at, (call, text) in enumerate(zip(calls, texts, strict=True)):
        if text is None or not call.valid or not call.argument:
            continue
        value = call.arguments.get(call.argument)
        if value == BEYOND_DOUBLE and _ROUNDED in text and str(BEYOND_DOUBLE) not in text:
            yield "value-changed", f"the integer {BEYOND_DOUBLE} comes back as {_ROUNDED} if {call.what}", at
        elif value == MARKED and MARKED not in text:
            came = next((found[1] for found in _BETWEEN.finditer(text) if _is_broken(found[1])), None)
            if came is not None:
                yield "value-changed", f"the text {MARKED!r} comes back as {BEGIN + came + END!r} if {call.what}", at


def _is_broken(came: str) -> bool:
    """Whether characters were lost or decoded by another encoding; other changes may be what the tool is for."""
    if _LOST.search(came):
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
    values give other results.
    """
    base = next((text for call, text in zip(calls, texts, strict=True) if call.valid and not call.argument), None)
    if base is None:
        return
    for at, (call, text) in enumerate(zip(calls, texts, strict=True)):
        if text != base or not call.valid or not call.differs_from_default or call.arguments.get(call.argument):
            continue
        if call.arguments.get(call.argument) == "":
            continue
        others = [
            other
            for each, other in zip(calls, texts, strict=True)
            if each.valid and each.argument == call.argument and each.arguments.get(call.argument) and other is not None
        ]
        if any(other != base for other in others):
            yield "value-ignored", f"the result is that of a call without it if {call.what}", at


def remembered_texts(calls: Sequence[ProbeCall], texts: Sequence[str | None]) -> Iterator[Judged]:
    """Yield the first call whose response has the marked text of an earlier call, but not in its own arguments."""
    marked = [at for at, call in enumerate(calls) if MARKED in call.arguments.values()]
    for at in range(marked[0] + 1 if marked else len(calls), len(calls)):
        text = texts[at]
        if text is not None and MARKED in text and at not in marked:
            yield "text-of-another-call", f"the response has the text of an earlier call, {MARKED!r}", at
            return


def slow_places(calls: Sequence[ProbeCall], seconds: Sequence[float | None]) -> list[int]:
    """Return the places of valid calls with a value that took much longer than the others; None: do not count."""
    counted = [each for call, each in zip(calls, seconds, strict=True) if call.valid and each is not None]
    if len(counted) < 4:
        return []
    limit = max(SLOWER * sorted(counted)[len(counted) // 2], SLOW_S)
    return [
        at
        for at, (call, each) in enumerate(zip(calls, seconds, strict=True))
        if call.valid and call.argument and each is not None and each > limit
    ]
