"""Visits: addresses that a server wants the person to go to, asked by the error -32042 before it serves a request.

The error is no question on the wire: nothing is sent back, and the request is made again once the person was there.
The server may say so with `notifications/elicitation/complete`; an id that nobody knows is to be ignored.

Source: specification 2025-11-25, client/elicitation ("URL elicitation required error", "completion notifications").
"""

from collections.abc import Iterable
from typing import Any

from inspector.protocol import peek
from inspector.protocol.questions import Kind, Question
from inspector.protocol.revisions._shape import Revision

REQUIRED = -32042
COMPLETE = "notifications/elicitation/complete"
MOST = 50
"""Addresses of one error that are asked about; the error itself shows all of them."""


def visits_in(
    error: Any, revision: Revision | None, *, exchange: int, frame: int, asked_ns: int
) -> tuple[Question, ...]:
    """The addresses that an error names, as questions; none where the revision does not know that error."""
    if revision is None or REQUIRED not in revision.error_names or peek.integer(error, "code") != REQUIRED:
        return ()
    named = [each for each in peek.items(error, "data", "elicitations") if peek.text(each, "url") is not None]
    return tuple(
        Question(
            Kind.ELICITATION, {**params, "mode": "url"}, exchange, frame, asked_ns,
            key=f"visit {number}", cause=exchange, visit=True,
        )
        for number, params in enumerate(named[:MOST], 1)
    )  # fmt: skip


class Visits:
    """Which elicitations a server has called complete."""

    def __init__(self) -> None:
        self.complete: dict[str, int] = {}
        """When, by the id of each, in nanoseconds; known or not."""

    def told(self, params: Any, time_ns: int) -> None:
        """A server says that one is complete."""
        if name := peek.text(params, "elicitationId"):
            self.complete.setdefault(name, time_ns)

    def is_complete(self, question: Question) -> bool:
        """Whether the server has said so of this question."""
        return bool(question.elicitation) and question.elicitation in self.complete

    def unknown(self, questions: Iterable[Question]) -> tuple[str, ...]:
        """What was called complete and never asked."""
        asked = {question.elicitation for question in questions}
        return tuple(name for name in self.complete if name not in asked)
