"""Question: a server's request for user input, in one form for both eras, and the responses to it.

In the handshake era it is a request from the server, answered by a result or an error. In the stateless era it is
part of a result (`input_required`), and one retry carries all responses. There, a rejection can only be expressed if
the kind of request defines one (decline, cancel).

Source: specification, client/elicitation, client/sampling, client/roots; 2026-07-28, basic/patterns/mrtr.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era, Revision

INPUT_REQUIRED = "input_required"
MAY_ASK = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Requests whose result may request input."""

REJECTED = -1
"""Error code for a sampling request that the user rejected (2025-06-18, client/sampling)."""

METHOD_NOT_FOUND, INVALID_PARAMS = -32601, -32602
REQUIRED = -32042
COMPLETE = "notifications/elicitation/complete"

MOST = 50
"""Maximum number of URLs of one error that are presented; the error itself shows all."""

_UNSENDABLE = re.compile(
    r"Cannot send '([a-z]+(?:/\w+)?)': this transport context has no back-channel|"  # Python SDK 2, fastmcp 4
    r"['\"]([a-z]+(?:/\w+)?)['\"] cannot be sent while serving a request on|"  # TypeScript SDK 2, Go SDK
    r"\b(elicitation|sampling|roots) via server-initiated requests is unavailable on"  # fastmcp 4
)
"""How SDKs word that a handler wanted to send a request to the client, but can't."""
_MOST_READ = 2000


class RequestKind(StrEnum):
    """The kind of input that a server requests."""

    ELICITATION = "elicitation"
    SAMPLING = "sampling"
    ROOTS = "roots"


KIND_OF_SERVER_REQUEST = {
    "elicitation/create": RequestKind.ELICITATION,
    "sampling/createMessage": RequestKind.SAMPLING,
    "roots/list": RequestKind.ROOTS,
}


class ServerRequest(msgspec.Struct, frozen=True):
    """A server's request for input."""

    kind: RequestKind
    params: Any
    """The params as any JSON, with the server's texts and schemas."""
    exchange: int
    """Number of the exchange that carried it: the server's request, or our request whose result contains it."""
    frame: int
    asked_ns: int
    key: str = ""
    """Its key among the requests of one result (2026-07-28); "" for a request from the server."""
    cause: int | None = None
    """Number of the client's exchange that caused it, if known."""
    task: str = ""
    """Id of the task that it belongs to; "" if none."""

    visit: bool = False
    """Whether it is a URL that the user must visit before a refused request is repeated (2025-11-25).

    No response is sent; accepting repeats the request.
    """

    @property
    def message(self) -> str:
        """The server's message to the user; "" if there is none."""
        return peek.text(self.params, "message") or ""

    @property
    def mode(self) -> str:
        """Mode of an elicitation; "form" by default."""
        return peek.text(self.params, "mode") or "form"

    @property
    def schema(self) -> Any:
        """Schema for the response to an elicitation in form mode."""
        return peek.at(self.params, "requestedSchema")

    @property
    def url(self) -> str:
        """URL of an elicitation in URL mode."""
        return peek.text(self.params, "url") or ""

    @property
    def elicitation(self) -> str:
        """Id by which the server reports an elicitation in URL mode as complete; "" without one."""
        return peek.text(self.params, "elicitationId") or ""


class Root(msgspec.Struct, frozen=True):
    """A directory or other location that the user discloses to the server. Advisory: it restricts nothing."""

    uri: str
    name: str = ""


class Result(msgspec.Struct, frozen=True):
    """A response with a result object, valid or not."""

    value: Any
    unattended: bool = False
    """Whether it is the `cancel` of an elicitation without a user present."""


class ErrorReply(msgspec.Struct, frozen=True):
    """An error as the response. In the stateless era it means that nothing is sent."""

    code: int
    message: str
    data: Any = None


Reply = Result | ErrorReply


def unsendable(text: str) -> str:
    """Return the method, or kind, of a request that the server could not send to the client by its error; "" if none.

    rmcp has no such error: it sends the request.
    """
    found = _UNSENDABLE.search(text[:_MOST_READ])
    return next(group for group in found.groups() if group) if found else ""


def advice_on_unsendable(method: str, revision: Revision | None) -> tuple[str, str]:
    """Return why the server could not send the request, as the end of a sentence, and what to do."""
    if revision is not None and revision.era is Era.MODERN:
        return (
            f"{method}, a request of the legacy era: {revision.date} has no requests from servers",
            "Connect with --era legacy, in which servers send requests, or return input_required from the handler.",
        )
    return (
        f"{method} and has no channel for it: it is stateless, or the call had ended",
        "Serve with sessions, not stateless, and send the request before the call ends.",
    )


def accepted(content: Mapping[str, Any] | None = None) -> Result:
    """Accept an elicitation with the given content; without content in URL mode."""
    return Result({"action": "accept"} | ({} if content is None else {"content": dict(content)}))


def declined() -> Result:
    """Decline an elicitation."""
    return Result({"action": "decline"})


def dismissed() -> Result:
    """Dismiss an elicitation without a choice."""
    return Result({"action": "cancel"})


def unattended() -> Result:
    """Cancel an elicitation because no user is present to choose (client/elicitation, actions)."""
    return Result({"action": "cancel"}, unattended=True)


def sampled(content: Any, *, model: str, stop_reason: str = "endTurn", role: str = "assistant") -> Result:
    """Answer a sampling request with a completion, from a model or from the user. `content` is one block or several."""
    return Result({"role": role, "content": content, "model": model, "stopReason": stop_reason})


def text_block(text: str) -> dict[str, str]:
    """Return a content block with a text."""
    return {"type": "text", "text": text}


def rooted(roots: Sequence[Root]) -> Result:
    """Answer a request for roots."""
    return Result({"roots": [{"uri": root.uri} | ({"name": root.name} if root.name else {}) for root in roots]})


def asks_for_input(result: Any) -> bool:
    """Return whether a result requests input instead of being final."""
    return peek.text(result, "resultType") == INPUT_REQUIRED


def server_requests_in(result: Any, *, exchange: int, frame: int, asked_ns: int) -> tuple[ServerRequest, ...]:
    """Return the requests for input in an `input_required` result, in the server's order. Invalid ones are omitted."""
    return tuple(
        ServerRequest(kind, peek.at(asked, "params"), exchange, frame, asked_ns, key=key, cause=exchange)
        for key, asked in peek.mapping(result, "inputRequests").items()
        if (kind := KIND_OF_SERVER_REQUEST.get(peek.text(asked, "method") or ""))
    )


def retried(params: Any, result: Any, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of the retry: the original ones, the responses, and the request state exactly as received.

    "Clients MUST NOT inspect, parse, modify, or make any assumptions about the requestState contents."
    """
    kept = {key: value for key, value in peek.mapping(params).items() if key not in ("inputResponses", "requestState")}
    if answers:
        kept["inputResponses"] = dict(answers)
    if peek.has(result, "requestState"):
        kept["requestState"] = peek.at(result, "requestState")
    return kept


# Visits: URLs that the user must visit before the server handles a request, as required by the error -32042.


def visits_in(
    error: Any, revision: Revision | None, *, exchange: int, frame: int, asked_ns: int
) -> tuple[ServerRequest, ...]:
    """Return the URLs in an error as requests to the user; none if the revision does not define this error."""
    if revision is None or REQUIRED not in revision.error_names or peek.integer(error, "code") != REQUIRED:
        return ()
    named = [each for each in peek.items(error, "data", "elicitations") if peek.text(each, "url") is not None]
    return tuple(
        ServerRequest(
            RequestKind.ELICITATION, {**params, "mode": "url"}, exchange, frame, asked_ns,
            key=f"visit {number}", cause=exchange, visit=True,
        )
        for number, params in enumerate(named[:MOST], 1)
    )  # fmt: skip


class Visits:
    """Elicitations that a server has reported as complete."""

    def __init__(self) -> None:
        self.complete: dict[str, int] = {}
        """Time of completion by elicitation id, in nanoseconds; includes unknown ids."""

    def completed(self, params: Any, time_ns: int) -> None:
        """Record a completion notification."""
        if name := peek.text(params, "elicitationId"):
            self.complete.setdefault(name, time_ns)

    def is_complete(self, server_request: ServerRequest) -> bool:
        """Return whether the server has reported this elicitation as complete."""
        return bool(server_request.elicitation) and server_request.elicitation in self.complete

    def unknown(self, server_requests: Iterable[ServerRequest]) -> tuple[str, ...]:
        """Return the ids that were reported as complete but never requested."""
        asked = {server_request.elicitation for server_request in server_requests}
        return tuple(name for name in self.complete if name not in asked)
