"""The user's notes on a conversation. They are stored beside its capture and shared by all replay positions."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from inspector.capture.format.notes import Mark, Notes, NotesFile, new_mark
from inspector.tui.conversation import OpenConversation, ReplayedConversation

if TYPE_CHECKING:
    pass


class ConversationNotes:
    def __init__(self, conversation: OpenConversation) -> None:
        journal = conversation.journal
        self._journal = journal
        self._file = NotesFile(journal.capture_path, journal.head.id)
        self.changes = 0
        """Counter that grows with each change."""
        self.notes = self._file.read()
        self.colour = ""
        """Last colour used."""
        self._take(self.notes)

    @property
    def is_kept(self) -> bool:
        """Whether there is a file to store them in."""
        return self._file.path is not None

    def change(self, made: Callable[[Notes], Notes]) -> None:
        """Replace the notes and store them. Raises: UsageError if they can't be stored; nothing is changed then."""
        self._take(self._file.change(made))

    def mark_at(self, n: int) -> Mark:
        """Return the mark of an entry, or the one that it would get. Changes nothing."""
        return self.notes.marks.get(n) or new_mark(n, self.colour or new_mark(n).color)

    def mark(self, n: int, *, color: str = "", text: str | None = None) -> Mark:
        """Mark an entry. Omitted properties stay; a new mark gets the last colour used. Raises: UsageError."""
        before = self.mark_at(n)
        mark = new_mark(n, color or before.color, before.text if text is None else text)
        self.change(lambda notes: notes.marked(n, mark))
        self.colour = mark.color
        return mark

    def unmark(self, n: int) -> None:
        """Remove the mark of an entry. Raises: UsageError."""
        self.change(lambda notes: notes.marked(n, None))

    def _take(self, notes: Notes) -> None:
        self.notes = notes
        self.changes += 1
        self._journal.marks.clear()
        self._journal.marks.update(notes.marks)


_noted: "WeakKeyDictionary[OpenConversation, ConversationNotes]" = WeakKeyDictionary()


def notes_of(conversation: OpenConversation) -> ConversationNotes:
    """Return the notes on a conversation; at a replay position, those on the capture."""
    whole = conversation.whole if isinstance(conversation, ReplayedConversation) else conversation
    found = _noted.get(whole)
    if found is None:
        found = _noted[whole] = ConversationNotes(whole)
    return found
