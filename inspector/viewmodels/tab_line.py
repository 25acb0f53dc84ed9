"""What the line of tabs says of each conversation: its name, how it stands, what went wrong, what waits."""

import msgspec

from inspector.viewmodels import signs
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.text import one_line

_WIDEST = 26


class TabState(msgspec.Struct, frozen=True):
    """One conversation, in short."""

    name: str
    sign: Span
    """How it stands; a sign of its own for each state."""
    failed: int = 0
    """Exchanges that failed: by an error, a tool's own, or for want of an answer."""
    waiting: int = 0
    """Questions that wait for an answer."""


def spans_of(state: TabState, *, here: bool) -> tuple[Span, ...]:
    """Its tab."""
    role: Role = "title" if here else "muted"
    spans: list[Span] = [(" ", "text"), state.sign, (f" {one_line(state.name, _WIDEST)}", role)]
    if state.waiting:
        spans.append((f" {signs.EVENT} {state.waiting}", "warning"))
    if state.failed:
        spans.append((f" {signs.ERROR} {state.failed:,}", "error"))
    return (*spans, (" ", "text"))
