"""A recording as it was at one of its moments, for the panels: what came later is not known to it."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from inspector.capture.past import Past, PastJournal
from inspector.tui.subject import Stage, Subject

if TYPE_CHECKING:
    from inspector.viewmodels.live_checks import LiveChecks

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
        self.waited_ns = 0
        """How long nothing has come since its newest entry, by the clock of the recording: it is being played."""

    @property
    def checks(self) -> "LiveChecks":
        """What checks have found in all of it."""
        return self.whole.checks

    @property
    def checks_so_far(self) -> "LiveChecks | None":
        """The same; None before anybody has asked for them."""
        return self.whole.checks_so_far

    @property
    def stage(self) -> Stage:
        """A recording, of which some may not be read yet."""
        return Stage.RECORDED if self.moment.count else self.whole.stage

    @property
    def now_ns(self) -> int:
        """The moment of its newest entry, and what has gone by since."""
        count = self.journal.count
        return self.journal.store.time_ns(count) + self.waited_ns if count else 0
