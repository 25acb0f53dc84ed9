"""How far a request is: a bar, how much of how much, how fast, and how long it will take at that pace.

What a server says is shown as it said it, also where it can't be true; then the line says what is wrong with it, and
reckons nothing from it.
"""

from inspector.protocol.exchanges import Progress
from inspector.viewmodels import signs, text
from inspector.viewmodels.roles import Span
from inspector.viewmodels.words import amount

FULL, EMPTY = "━", "─"


def bar(progress: Progress, width: int) -> list[Span]:
    """A bar of so many cells; empty where no total says how long it should be."""
    share = fraction(progress)
    if share is None or width < 1:
        return []
    full = round(min(max(share, 0.0), 1.0) * width)
    return [(FULL * full, "accent"), (EMPTY * (width - full), "faint")]


def fraction(progress: Progress) -> float | None:
    """How much of it is done, as the server said: below 0 and beyond 1 as well; None without a usable total."""
    if progress.raw or progress.total is None or progress.total <= 0:
        return None
    return progress.progress / progress.total


def figures(progress: Progress, *, running: bool = True) -> str:
    """How much, how fast, how long: "3 of 10 · 30 % · 1.2/s · about 6 s left". Safe to show.

    Nothing is left of what is not `running` any more.
    """
    parts = [amount(progress)]
    share = fraction(progress)
    if share is not None and "%" not in parts[0]:
        parts.append(f"{share:.0%}".replace("%", " %"))
    if not progress.wrong and progress.rate:
        parts.append(pace(progress.rate))
        if running and progress.total is not None and 0 < progress.progress < progress.total and progress.rate > 0:
            parts.append(left((progress.total - progress.progress) / progress.rate))
    return " · ".join(parts)


def pace(rate: float) -> str:
    """So much a second, or where that is little, a minute."""
    return f"{rate:.3g}/s" if abs(rate) >= 0.1 else f"{rate * 60:.2g}/min"


def left(seconds: float) -> str:
    """How long it will take, as a guess."""
    if seconds < 1:
        return "less than 1 s left"
    if seconds < 99.5:
        return f"about {seconds:.0f} s left"
    return f"about {text.human_duration(round(min(seconds, 1e8)) * 1_000_000_000)} left"


def said(progress: Progress, *, running: bool = True) -> list[Span]:
    """The figures, what is wrong with them, and the server's own words."""
    spans: list[Span] = [(figures(progress, running=running), "text")]
    if progress.wrong:
        spans.append((f"  {signs.WARNING} {progress.wrong}", "warning"))
    if progress.message:
        spans.append((f"  {text.visible(progress.message, limit=500)}", "text"))
    return spans
