"""A person's notes about a conversation, kept beside its capture, shared by its moments."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from inspector.capture.format.notes import Mark, Notes, NotesFile, new_mark
from inspector.tui.conversation import OpenConversation, PastSubject

if TYPE_CHECKING:
    pass


class Noted:
    """The notes of one conversation."""

    def __init__(self, subject: OpenConversation) -> None:
        """Read them."""
        journal = subject.journal
        self._journal = journal
        self._file = NotesFile(journal.capture_path, journal.head.id)
        self.changes = 0
        """Grows with each change."""
        self.notes = self._file.read()
        self.colour = ""
        """The colour that was given last."""
        self._take(self.notes)

    @property
    def is_kept(self) -> bool:
        """Whether there is a file for them."""
        return self._file.path is not None

    def change(self, made: Callable[[Notes], Notes]) -> None:
        """Make other notes of them, and keep those. Raises: UsageError if they can't be kept; nothing is changed."""
        self._take(self._file.change(made))

    def mark_at(self, n: int) -> Mark:
        """The mark of an entry, or the one that it would get. Nothing is changed."""
        return self.notes.marks.get(n) or new_mark(n, self.colour or new_mark(n).color)

    def mark(self, n: int, *, color: str = "", text: str | None = None) -> Mark:
        """Mark an entry; what is not named stays, and without a mark the colour is the last one given.

        Raises: UsageError.
        """
        before = self.mark_at(n)
        mark = new_mark(n, color or before.color, before.text if text is None else text)
        self.change(lambda notes: notes.marked(n, mark))
        self.colour = mark.color
        return mark

    def unmark(self, n: int) -> None:
        """Take the mark of an entry away. Raises: UsageError."""
        self.change(lambda notes: notes.marked(n, None))

    def _take(self, notes: Notes) -> None:
        self.notes = notes
        self.changes += 1
        self._journal.marks.clear()
        self._journal.marks.update(notes.marks)


_noted: "WeakKeyDictionary[OpenConversation, Noted]" = WeakKeyDictionary()


def noted_of(subject: OpenConversation) -> Noted:
    """The notes of a conversation; of a moment of a recording, those of the recording."""
    whole = subject.whole if isinstance(subject, PastSubject) else subject
    found = _noted.get(whole)
    if found is None:
        found = _noted[whole] = Noted(whole)
    return found
