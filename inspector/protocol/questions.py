"""Question: what a server asks of the person, in one shape for both eras; and the answers, as they travel back.

In the handshake era a question is a request of the server's own, answered by a result or an error. In the stateless
era they are part of a result (`input_required`), and one retry carries all responses; there a rejection has
no form of its own, except where the question itself has one (decline, cancel).

Source: specification, client/elicitation, client/sampling, client/roots; 2026-07-28, basic/patterns/mrtr.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Revision

INPUT_REQUIRED = "input_required"


class RequestKind(StrEnum):
    """What is asked for."""

    ELICITATION = "elicitation"
    SAMPLING = "sampling"
    ROOTS = "roots"


KIND_OF_QUESTION = {
    "elicitation/create": RequestKind.ELICITATION,
    "sampling/createMessage": RequestKind.SAMPLING,
    "roots/list": RequestKind.ROOTS,
}


class Question(msgspec.Struct, frozen=True):
    """What a server asks."""

    kind: RequestKind
    params: Any
    """Any JSON: a server's own words and schemas."""
    exchange: int
    """The exchange that carried it: the server's own request, or the request of ours that it answers."""
    frame: int
    asked_ns: int
    key: str = ""
    """Its name among the questions of one result (2026-07-28); "" for a request of the server's own."""
    cause: int | None = None
    """The client's exchange that it belongs to, if known."""
    task: str = ""
    """The id of the task in which it was asked; "" outside of one."""

    visit: bool = False
    """Whether a request was refused until its address is visited (2025-11-25): nothing travels back, and an
    acceptance makes the request again."""

    @property
    def message(self) -> str:
        """What the person is asked, in the server's words; "" if there are none."""
        return peek.text(self.params, "message") or ""

    @property
    def mode(self) -> str:
        """Of an elicitation: "form" if not said otherwise."""
        return peek.text(self.params, "mode") or "form"

    @property
    def schema(self) -> Any:
        """Of an elicitation in form mode: what the answer's content must look like."""
        return peek.at(self.params, "requestedSchema")

    @property
    def url(self) -> str:
        """Of an elicitation in URL mode."""
        return peek.text(self.params, "url") or ""

    @property
    def elicitation(self) -> str:
        """Of an elicitation in URL mode: the id by which the server may call it complete; "" without one."""
        return peek.text(self.params, "elicitationId") or ""


class Root(msgspec.Struct, frozen=True):
    """A directory, or another place, that the person lets the server know of. Advisory: it guards nothing."""

    uri: str
    name: str = ""


class Result(msgspec.Struct, frozen=True):
    """An answer: a result object, right or wrong."""

    value: Any
    unattended: bool = False
    """Whether it is the `cancel` of an elicitation without a user."""


class ErrorReply(msgspec.Struct, frozen=True):
    """An error instead of a result. In the stateless era it means that nothing is sent."""

    code: int
    message: str
    data: Any = None


Reply = Result | ErrorReply

REJECTED = -1
"""What a client answers where the person rejected a sampling request (2025-06-18, client/sampling)."""
METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602


def accepted(content: Mapping[str, Any] | None = None) -> Result:
    """To an elicitation: yes, with what was filled in; without content for URL mode."""
    return Result({"action": "accept"} | ({} if content is None else {"content": dict(content)}))


def declined() -> Result:
    """To an elicitation: no."""
    return Result({"action": "decline"})


def dismissed() -> Result:
    """To an elicitation: neither yes nor no."""
    return Result({"action": "cancel"})


def unattended() -> Result:
    """To an elicitation without a user: no explicit choice was made (client/elicitation, actions)."""
    return Result({"action": "cancel"}, unattended=True)


def sampled(content: Any, *, model: str, stop_reason: str = "endTurn", role: str = "assistant") -> Result:
    """To a sampling request: the completion of a model, or of a user in its place. `content` is a block, or several."""
    return Result({"role": role, "content": content, "model": model, "stopReason": stop_reason})


def text_block(text: str) -> dict[str, str]:
    """A text as a block of content."""
    return {"type": "text", "text": text}


def rooted(roots: Sequence[Root]) -> Result:
    """To a request for roots."""
    return Result({"roots": [{"uri": root.uri} | ({"name": root.name} if root.name else {}) for root in roots]})


def asks_for_input(result: Any) -> bool:
    """Whether a result is no result yet, but questions."""
    return peek.text(result, "resultType") == INPUT_REQUIRED


def questions_in(result: Any, *, exchange: int, frame: int, asked_ns: int) -> tuple[Question, ...]:
    """The questions of an `input_required` result, in the server's order. What can't be one is left out."""
    return tuple(
        Question(kind, peek.at(asked, "params"), exchange, frame, asked_ns, key=key, cause=exchange)
        for key, asked in peek.mapping(result, "inputRequests").items()
        if (kind := KIND_OF_QUESTION.get(peek.text(asked, "method") or ""))
    )


def retried(params: Any, result: Any, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The params of the retry with the responses: as they were, plus the responses, and the state exactly as received.

    "Clients MUST NOT inspect, parse, modify, or make any assumptions about the requestState contents."
    """
    kept = {key: value for key, value in peek.mapping(params).items() if key not in ("inputResponses", "requestState")}
    if answers:
        kept["inputResponses"] = dict(answers)
    if peek.has(result, "requestState"):
        kept["requestState"] = peek.at(result, "requestState")
    return kept


# Visits: addresses that a server wants the person to go to, asked by the error -32042 before it serves a
# request.

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
            RequestKind.ELICITATION, {**params, "mode": "url"}, exchange, frame, asked_ns,
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
