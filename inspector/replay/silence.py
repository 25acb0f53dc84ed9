"""Why a request got no answer, as a person reads it."""

from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Silent


def why_silent(reply: Silent | Refused | Broken | GivenUp) -> str:
    """A clause; quotes foreign text."""
    match reply:
        case Silent():
            return f"no answer came within {reply.seconds:g} s"
        case Refused():
            return f"it was refused with HTTP {reply.status}" if reply.status else f"no answer came: {reply.why}"
        case Broken():
            return f"the connection ended: {reply.why}"
        case GivenUp():
            return f"it was given up: {reply.why}" if reply.why else "it was given up"
