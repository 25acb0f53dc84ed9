"""How a list takes rows that keep coming: followed, left to pile up, or frozen out of sight.

Nothing here stops the recording; a frozen list merely does not look.
"""

from inspector.tui.styles import glyphs
from inspector.tui.widgets.viewport import Viewport
from inspector.viewmodels.roles import Span


class Growth:
    """How many of a source's rows a viewport shows, and how many its reader has not seen."""

    def __init__(self, view: Viewport, *, grows: bool) -> None:
        self._view = view
        self.grows = grows
        """Whether rows come by themselves: only then is there anything to follow or to freeze."""
        self._frozen_at: int | None = None
        self._seen = 0
        self._count = 0
        self._errors = self._errors_seen = 0
        self._waiting = (0, 0)
        view.following = grows

    @property
    def frozen(self) -> bool:
        """Whether the view stands still while the source grows."""
        return self._frozen_at is not None

    @property
    def following(self) -> bool:
        """Whether the cursor stays on the newest row."""
        return self._view.following and not self.frozen

    @property
    def unseen(self) -> int:
        """Rows that have come since the newest was last in sight."""
        return self._below + self._waiting[0]

    @property
    def _below(self) -> int:
        """Those among them that are rows."""
        return max(0, self._count - self._seen)

    @property
    def unseen_errors(self) -> int:
        """How many of what has come since then tell that something went wrong."""
        return max(0, self._errors - self._errors_seen) + self._waiting[1]

    def take(self, count: int, errors: int = 0, waiting: tuple[int, int] = (0, 0)) -> None:
        """Let the view have the source's rows, or as many as it had when it was frozen.

        `errors`: how many of all that has come; `waiting`: what the source has not taken in, and the errors therein.
        """
        self._count, self._errors, self._waiting = count, errors, waiting
        shown = count if self._frozen_at is None else min(self._frozen_at, count)
        if shown != self._view.count:
            self._view.set_count(shown)
        if self.following or not self.grows:
            self._seen, self._errors_seen = count, errors

    def freeze(self) -> None:
        """Let the view stand still."""
        self._frozen_at = self._count

    def thaw(self) -> None:
        """Let the view have all rows again."""
        self._frozen_at = None
        self.take(self._count, self._errors, self._waiting)

    def restart(self, count: int) -> None:
        """Begin anew with other rows: what is unseen of them nobody can tell."""
        if self._frozen_at is not None:
            self._frozen_at = count
        self._seen = max(0, count - self._below)
        self.take(count, self._errors, self._waiting)

    def labels(self) -> list[list[Span]]:
        """The state in words, with its sign: at length, then in fewer cells; nothing while there is nothing to say."""
        if self.following:
            return [[(f"{glyphs().follow} follow", "accent")]]
        if not self.frozen and not self.unseen:
            return []
        long, short = self._news()
        sign, word = (glyphs().frozen, " frozen") if self.frozen else (glyphs().follow, "")
        return [[(sign + word, "warning"), *long], [(sign, "warning"), *short], [(sign + word, "warning")]]

    def _news(self) -> tuple[list[Span], list[Span]]:
        """What has come unseen, in words and in figures."""
        new, wrong = self.unseen, self.unseen_errors
        long: list[Span] = [(f" {new:,} new", "warning")] if new else []
        short: list[Span] = [(f" +{new:,}", "warning")] if new else []
        if wrong:
            long.append((f" {glyphs().error} {wrong:,} error{'s' if wrong > 1 else ''}", "error"))
            short.append((f" {glyphs().error}{wrong:,}", "error"))
        return long, short
