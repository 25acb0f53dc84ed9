"""What a real model made of a sampling request: which one, how long it took, what it did not get to see.

What an endpoint says is foreign text, as a server's is.
"""

from collections.abc import Sequence

import msgspec

from inspector.viewmodels import text
from inspector.viewmodels.lines import Fact, Section, fact, paragraph


class Account(msgspec.Struct, frozen=True):
    """How asking a model went."""

    model: str
    """The model and where it is."""
    took_ns: int = 0
    """0 while it still is asked."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    left_out: Sequence[str] = ()
    """What of the request did not reach it."""
    why: str = ""
    """Why it gave no answer; "" if it gave one."""
    hint: str = ""


def told(account: Account) -> str:
    """Which model it was, how long it took and what it cost, as one safe line."""
    counted = [f"{number:,} {word}" for number, word in _tokens(account)]
    took = text.human_duration(account.took_ns)
    return text.visible(f"{account.model} in {took}{_bracketed(counted)}", limit=200)


def left_out(account: Account) -> str:
    """What it did not get to see, as one safe line; "" for nothing."""
    return text.visible(", ".join(account.left_out), limit=300)


def account_section(account: Account) -> Section:
    """What came of asking: the answer's origin, or why there is none and what to do."""
    if account.why:
        lines = (*paragraph(account.why, "error", limit=1000), *paragraph(account.hint, "muted", limit=1000))
        asked = fact("asked", f"{account.model}, for {text.human_duration(account.took_ns)}")
        return Section("The model gave no answer", (asked,), lines)
    facts = [Fact("by", told(account), "strong")]
    if lost := left_out(account):
        facts.append(Fact("did not see", lost, "warning"))
    return Section("What the model answers", tuple(facts), note="review it, then answer")


def _tokens(account: Account) -> list[tuple[int, str]]:
    both = ((account.tokens_in, "tokens in"), (account.tokens_out, "out"))
    return [(number, word) for number, word in both if number is not None]


def _bracketed(words: list[str]) -> str:
    return f" ({', '.join(words)})" if words else ""
