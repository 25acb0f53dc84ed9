"""A recording as it was at one of its moments, for the panels: what came later is not known to it."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from inspector.capture.past import Past, PastJournal
from inspector.tui.subject import Stage, Subject

if TYPE_CHECKING:
    from inspector.viewmodels.live_checks import LiveChecks
    from inspector.viewmodels.past_checks import PastChecks

_pasts: "WeakKeyDictionary[Subject, Past]" = WeakKeyDictionary()


def past_of(subject: Subject) -> Past:
    """All moments of a subject; of a past one, those of the recording."""
    whole = subject.whole if isinstance(subject, PastSubject) else subject
    found = _pasts.get(whole)
    if found is None:
        found = _pasts[whole] = Past(whole.journal)
    return found


class PastSubject(Subject):
    """Goes forward as `journal` does. Another moment before this one is another subject."""

    def __init__(self, whole: Subject, journal: PastJournal) -> None:
        super().__init__(journal, whole.about)
        self.moment = journal
        self.whole = whole
        """All of the recording."""
        self._checks: PastChecks | None = None
        self.waited_ns = 0
        """How long nothing has come since its newest entry, by the clock of the recording: it is being played."""

    @property
    def checks(self) -> "LiveChecks":
        """What checks could say of what had come by then."""
        if self._checks is None:
            from inspector.viewmodels.past_checks import PastChecks

            self._checks = PastChecks(self.journal, self.whole.checks)
        return self._checks.now()

    @property
    def checks_so_far(self) -> "LiveChecks | None":
        """The same; None before anybody has asked for checks."""
        return None if self.whole.checks_so_far is None else self.checks

    @property
    def stage(self) -> Stage:
        """A recording, of which some may not be read yet."""
        return Stage.RECORDED if self.moment.count else self.whole.stage

    @property
    def moment_shown(self) -> int | None:
        """The newest entry that is known here; None if that is all there is."""
        return self.moment.count if self.moment.live else None

    @property
    def now_ns(self) -> int:
        """The moment of its newest entry, and what has gone by since."""
        count = self.journal.count
        return self.journal.store.time_ns(count) + self.waited_ns if count else 0
