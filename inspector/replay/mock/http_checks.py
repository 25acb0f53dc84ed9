"""What of a stateless HTTP request must agree with its body, and the status that an answer has."""

import base64
import binascii

from inspector.protocol import jsonrpc
from inspector.protocol.headers import headers_for
from inspector.protocol.jsonrpc import Request, read
from inspector.protocol.revisions.openings import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from inspector.protocol.revisions.table import find
from inspector.protocol.tracking.opening import declared_revision
from inspector.transports.http.listener import HttpRequest

_STATUS = {-32601: 404, HEADER_MISMATCH: 400, MISSING_CAPABILITY: 400, UNSUPPORTED_VERSION: 400}
"""By error code: what a stateless answer has as HTTP status, where that is not 200."""
_MARK, _END = "=?base64?", "?="


def status_of(payload: bytes) -> int:
    """The HTTP status of a stateless answer."""
    first = read(payload)[0]
    return _STATUS.get(first.code or 0, 200) if isinstance(first, jsonrpc.ErrorAnswer) else 200


def header_fault(request: HttpRequest, message: Request) -> str:
    """How the headers of a stateless request fail its body; "" if they don't (2026-07-28, basic/transports/http).

    Headers that repeat arguments are not asked for: which ones a tool wants is for its server to know.
    """
    declared = declared_revision(message.params)
    revision = find(declared) if declared is not None else None
    if revision is None:
        return ""  # another refusal tells which revisions there are
    for name, wanted in headers_for(revision, message.method, message.params).items():
        found = request.header(name)
        if found is None:
            return f"Header mismatch: {name} is missing, the body says {_plain(wanted)[:60]!r}"
        if _plain(found) != _plain(wanted):
            return f"Header mismatch: {name} is {found[:60]!r}, the body says {_plain(wanted)[:60]!r}"
    return ""


def _plain(value: str) -> str:
    """A header's value without its base64 form; as it is where that can't be read."""
    if not (value.startswith(_MARK) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_MARK) : -len(_END)], validate=True).decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return value
