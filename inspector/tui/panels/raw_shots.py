"""What was written by hand in this sitting: each message, when it was sent, and what came of it, as rows of a list."""

from dataclasses import dataclass, field

from inspector.capture.journal import Journal
from inspector.protocol.drafts import Composed, Draft, DraftKind
from inspector.protocol.frames import Direction, Frame
from inspector.session.exactly import Ended, Sent
from inspector.tui.styles import glyphs
from inspector.viewmodels import text
from inspector.viewmodels.lines import lay
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowSource, RowView


@dataclass(slots=True)
class Shot:
    """One message that was sent, or is being sent."""

    draft: Draft
    journal: Journal
    """Where its frames are."""
    started_ns: int
    composed: Composed | None = None
    sent: Sent | None = None
    """None while it is waited for."""
    problem: str = ""
    """Why it was not waited for to the end; "" if it was, or still is."""
    took_ns: int = 0
    frames: list[int] = field(default_factory=list)
    """Numbers of the journal: what was sent, then what came."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is waited for."""
        return self.sent is not None or bool(self.problem)

    def take(self, composed: Composed, sent: Sent, now_ns: int) -> None:
        """This came of it."""
        self.composed, self.sent, self.took_ns = composed, sent, now_ns - self.started_ns
        self.frames = [*sent.frames, *sent.came]

    @property
    def first_answer(self) -> int:
        """The place of the first frame that came; the last one sent if nothing came."""
        sent = len(self.sent.frames) if self.sent else 0
        return min(sent, max(0, len(self.frames) - 1))

    def frame(self, place: int) -> Frame | None:
        """One of its frames; None if there is none."""
        if not 0 <= place < len(self.frames):
            return None
        what = self.journal.store.entry(self.frames[place]).what
        return what if isinstance(what, Frame) else None


class Shots(RowSource):
    """All of them, the newest on top."""

    def __init__(self) -> None:
        self.all: list[Shot] = []
        self._generation = 0

    def add(self, shot: Shot) -> None:
        """One more."""
        self.all.insert(0, shot)
        self._generation += 1

    def changed(self) -> None:
        """Something came of one."""
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self.all)

    @property
    def generation(self) -> int:
        return self._generation

    def row(self, index: int, width: int) -> RowView:
        shot = self.all[index]
        word, role = verdict(shot)
        spans: list[Span] = [
            (f"{sign(shot)} ", role),
            (text.pad(f"{shot.draft.kind}", 13), "muted"),
            (text.visible(shot.draft.method or _beginning(shot.draft), limit=80), "method"),
            (f"  {word}", role),
        ]
        return RowView(lay(spans, width))


def _beginning(draft: Draft) -> str:
    return " ".join(draft.text[:60].split())


def sign(shot: Shot) -> str:
    """A sign for how it ended."""
    if not shot.is_over:
        return glyphs().pending
    return glyphs().ok if verdict(shot)[1] == "ok" else glyphs().warning


def verdict(shot: Shot) -> tuple[str, Role]:
    """What came of it, in a few words."""
    if shot.problem:
        return text.visible(shot.problem, limit=200), "warning"
    sent = shot.sent
    if sent is None:
        return "waiting", "pending"
    took = text.human_duration(shot.took_ns)
    came = f"{len(sent.came)} frame{'' if len(sent.came) == 1 else 's'}"
    status = f", HTTP {sent.status}" if sent.status else ""
    match sent.ended:
        case Ended.ANSWERED:
            return f"{came} came in {took}{status}", "ok"
        case Ended.ACCEPTED:
            return f"sent{status}" + (f", {came} came" if sent.came else ""), "ok"
        case Ended.REFUSED:
            return f"no answer{status}" + (f": {text.visible(sent.why, limit=100)}" if sent.why else ""), "error"
        case Ended.SILENT:
            return f"{came} came, then nothing for {sent.seconds:g} s in all", "warning"
        case Ended.LOST:
            return f"lost: {text.visible(sent.why, limit=200)}", "error"


def frame_title(shot: Shot, place: int) -> list[Span]:
    """Which frame of it is shown."""
    frame = shot.frame(place)
    if frame is None:
        return [("What comes will stand here", "faint")]
    to_server = frame.direction is Direction.TO_SERVER
    arrow = glyphs().to_server if to_server else glyphs().from_server
    said = "sent" if to_server else "came"
    return [
        (f"{arrow} {said} ", "to_server" if to_server else "from_server"),
        (f"frame {place + 1} of {len(shot.frames)}", "muted"),
        ("  [ ] turns", "faint"),
    ]


def patience_s(draft: Draft, idle_s: float | None) -> float:
    """How long to wait for what comes: a request's clock; a moment for what no one must answer."""
    if draft.kind is DraftKind.NOTIFICATION:
        return 0
    longest = 60.0 if idle_s is None else idle_s
    return longest if draft.kind is not DraftKind.EXACT else min(longest, 10.0)
