"""How old an answer is, and for how long the server says it stays good, in words.

Whoever reads it decides: what is stale is still shown, and nothing is fetched or kept back because of it.
"""

from collections.abc import Callable

from inspector.protocol.freshness import Freshness
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, Line, fact, plain

_DAY_S = 86_400


def age_line(freshness: Freshness, now_ns: int, clock: Callable[[int], str] | None = None) -> Line:
    """When it was fetched, and what the server says of its age. `now_ns` is the journal's clock.

    `clock` makes a time of day of a moment of that clock. With it moments stand in the place of ages: such a line
    stays as it is until the answer is stale.
    """
    when = clock(freshness.received_ns) if clock else f"{_age(freshness.received_ns, now_ns)} ago"
    fetched = f"fetched {when}"
    scope = f", {freshness.scope}" if freshness.scope else ""
    stale_from = freshness.stale_from_ns
    if stale_from is None:
        line: Line = ((fetched + scope, "faint"),)
    elif now_ns < stale_from:
        said = f", {'said' if clock else 'server says'} fresh for {_age(freshness.received_ns, stale_from)}"
        line = ((f"{fetched}{said}{scope}", "faint"),)
    else:
        stale = f", stale since {clock(stale_from) if clock else _age(stale_from, now_ns)}"
        line = ((fetched, "faint"), (stale, "warning"), (scope, "faint"))
    if not freshness.flaws:
        return line
    wrong = "; ".join(text.visible(flaw, limit=200) for flaw in freshness.flaws)
    return ((f"{signs.WARNING} {wrong}", "warning"), ("   ", "text"), *line)


def age_facts(freshness: Freshness, now_ns: int) -> tuple[Fact, ...]:
    """The same as facts, what is wrong apart."""
    told = plain(age_line(Freshness(freshness.received_ns, freshness.ttl_ms, freshness.scope), now_ns))
    return (Fact("age", told), *(fact("wrong", flaw, "warning") for flaw in freshness.flaws))


def _age(since_ns: int, now_ns: int) -> str:
    return text_of(now_ns - since_ns)


def text_of(nanoseconds: int) -> str:
    """A span of time in whole seconds, or in what is more to the point: "12 s", "3h 12m", "400 days"."""
    seconds = max(0, nanoseconds) // 1_000_000_000
    if seconds >= 3 * _DAY_S:
        return f"{seconds // _DAY_S:,} days"
    if seconds < 100:
        return f"{seconds} s" if seconds or nanoseconds <= 0 else text.human_duration(nanoseconds)
    return text.human_duration(seconds * 1_000_000_000)
