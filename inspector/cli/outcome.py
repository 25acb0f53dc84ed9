"""What came of a request, for a command: an answer is data, and everything else is one of our exceptions."""

from typing import assert_never

from inspector.errors import (
    AuthorizationNeeded,
    Disconnected,
    InspectError,
    RequestCancelled,
    RequestFailed,
    RequestTimeout,
)
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent

_CUT = "The server had taken it, and may have done it. --retry-cut asks again, with a new id, where that does no harm."


def answered(reply: Reply, method: str) -> Replied:
    """The reply, if it is an answer, be it an error.

    Raises: AuthorizationNeeded, Disconnected, RequestCancelled, RequestFailed, RequestTimeout.
    """
    if isinstance(reply, Replied):
        return reply
    raise _failure(reply, method)


def _failure(reply: Silent | Refused | Broken | GivenUp, method: str) -> InspectError:
    match reply:
        case Silent():
            return _silence(reply, method)
        case Refused(status=401 | 403):
            why = "authentication required" if reply.status == 401 else "access denied"
            return AuthorizationNeeded(
                f"{why}: {method} was answered with HTTP {reply.status}",
                hint="Give it credentials, such as -H 'Authorization: Bearer …'.",
            )
        case Refused():
            status = f"HTTP {reply.status}" if reply.status else "" if reply.why else "no response"
            said = reply.body[:200].decode("utf-8", "replace").strip()
            why = "; ".join(filter(None, (status, reply.why, said)))
            return RequestFailed(f"no answer to {method}: {why}", hint=_CUT if reply.begun else "")
        case Broken(no_entry=True):
            return AuthorizationNeeded(f"no answer to {method}: {reply.why}", hint=reply.hint)
        case Broken():
            return Disconnected(f"no answer to {method}: {reply.why}", hint=reply.hint)
        case GivenUp():
            return RequestCancelled(f"{method} was cancelled")
        case _:
            assert_never(reply)


def _silence(reply: Silent, method: str) -> RequestTimeout:
    if reply.clock == "total":
        return RequestTimeout(
            f"no answer to {method} within {reply.seconds:g} s in all", hint="Give it longer with --max-total."
        )
    return RequestTimeout(
        f"no answer to {method}, and no progress for {reply.seconds:g} s", hint="Give it longer with --timeout."
    )
