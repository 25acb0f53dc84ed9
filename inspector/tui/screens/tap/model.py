"""Held messages and rules of an attached tap as rows, from what the tap says of itself."""

import time
from collections.abc import Sequence
from typing import Any

from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, span
from inspector.text import one_line

URGENT_S = 10
"""Below so many seconds a countdown is red."""


class TapStatus:
    """What the tap said last, and when."""

    def __init__(self, told: dict[str, Any] | None = None) -> None:
        self.told = told or {}
        self._at = time.monotonic()

    @property
    def held(self) -> Sequence[dict[str, Any]]:
        """Held messages, oldest first."""
        return list(self.told.get("held", ()))

    @property
    def rules(self) -> Sequence[dict[str, Any]]:
        """Rules in their order."""
        return list(self.told.get("rules", ()))

    def releases_in_s(self, held: dict[str, Any]) -> float:
        """Seconds until a message is released by its deadline, as of now."""
        return max(0.0, float(held["releases_in_s"]) - (time.monotonic() - self._at))

    @property
    def badge(self) -> list[Span]:
        """What the header says; nothing where nothing is held."""
        if not self.held:
            return []
        first = min(self.held, key=lambda each: float(each["releases_in_s"]))
        left = self.releases_in_s(first)
        return [
            (f"■ {len(self.held)} held", "warning"),
            span(f" · {first['method']} {first['target']} releases in "),
            (f"{left:.0f} s", "error" if left < URGENT_S else "warning"),
            ("   g b Held and rules", "faint"),
        ]

    @property
    def timeout(self) -> str:
        """How long the client waits, and how that is known."""
        by = {"given": "given", "observed": "observed"}.get(str(self.told.get("timeout_by")), "assumed")
        return f"Client timeout {float(self.told.get('timeout_s', 60)):g} s ({by}); messages are released at 80 % of it"


class HeldRows(RowSource):
    """Held messages and then rules."""

    def __init__(self) -> None:
        self._status = TapStatus()
        self._generation = 0

    def show(self, status: TapStatus) -> None:
        """Take in what the tap says now."""
        self._status = status
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._status.held) + len(self._status.rules)

    @property
    def generation(self) -> int:
        return self._generation

    def at(self, index: int) -> dict[str, Any] | None:
        """The held message or the rule in a row."""
        every = [*self._status.held, *self._status.rules]
        return every[index] if 0 <= index < len(every) else None

    def row(self, index: int, width: int) -> RowView:
        found = self.at(index)
        if found is None:
            return RowView([])
        if "held" in found:
            left = self._status.releases_in_s(found)
            arrow = "to server" if found["dir"] == "c2s" else "to client"
            what = one_line(f"{found['method'] or found['side']} {found['target']}", max(10, width - 32))
            kind = " response" if found["side"] == "response" else ""
            urgent: Role = "error" if left < URGENT_S else "muted"
            return RowView(
                [
                    ("■ ", "warning"),
                    span(what, "method"),
                    (kind, "muted"),
                    (f" {arrow} ", "faint"),
                    (f"releases in {left:.0f} s", urgent),
                ],
                live=True,
            )
        mark = "[x] " if found["enabled"] else "[ ] "
        what = f"{found['name']}  {found['action']} {found.get('side', 'either')} {found.get('when', '')}"
        trouble: list[Span] = [span(f"  {found['trouble']}", "error")] if found["trouble"] else []
        return RowView(
            [
                (mark, "accent"),
                span(one_line(what, max(10, width - 12)), "text"),
                (f"  ×{found['hits']}", "muted"),
                *trouble,
            ]
        )
