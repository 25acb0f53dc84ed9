"""Where the head of an HTTP message and its body say different things.

Servers of the stateless era must refuse such requests (2026-07-28, basic/transports/streamable-http), and a proxy that
routes by headers sends them elsewhere. Each verdict is one sentence with both values, safe to show.
"""

import base64
import binascii
from collections.abc import Iterable

from inspector.protocol import peek
from inspector.protocol.facts import HttpFact
from inspector.protocol.headers import METHOD, NAME, VERSION, headers_for
from inspector.protocol.jsonrpc import Message, Notification, NotJsonRpc, Request, read
from inspector.protocol.revisions.table import NEWEST, find
from inspector.protocol.tracking.opening import PROTOCOL_VERSION
from inspector.viewmodels import text

_ENCODED, _END = "=?base64?", "?="


def request_verdicts(request: HttpFact, body: bytes) -> tuple[str, ...]:
    """What the headers of a request say otherwise than its body; `body` is that of a POST."""
    found = list(_length(request, body))
    messages = read(body)
    if len(messages) == 1:
        found += _routing(request, messages[0])
    return tuple(found)


def response_verdicts(response: HttpFact, body: bytes) -> tuple[str, ...]:
    """What the headers of a response, or its status, say otherwise than its body, which is no stream."""
    kind = (header(response, "content-type") or "").partition(";")[0].strip().lower()
    is_json = not isinstance(read(body)[0], NotJsonRpc)
    found = []
    if kind.endswith("json") and body and not is_json:
        found.append(f"Content-Type says {_shown(kind)}, and the body is no JSON-RPC message")
    if is_json and not kind.endswith("json"):
        found.append(f"Content-Type says {_shown(kind)}, and the body is a JSON-RPC message")
    if response.status in (202, 204) and body:
        found.append(f"the status {response.status} says that there is no body, and one came")
    return tuple(found)


def header(fact: HttpFact, name: str) -> str | None:
    """The first header of a name, in any case; None if there is none."""
    return next((value for key, value in fact.headers if key.lower() == name.lower()), None)


def decoded(value: str) -> str:
    """A header's value as it is meant: out of the base64 form, if it is in that."""
    if not (value.startswith(_ENCODED) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_ENCODED) : -len(_END)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return value


def _length(request: HttpFact, body: bytes) -> Iterable[str]:
    told = header(request, "content-length")
    if told is not None and told != str(len(body)):
        yield f"Content-Length says {_shown(told)}, the body has {len(body)} bytes"


def _routing(request: HttpFact, message: Message) -> Iterable[str]:
    """Version, method and name, in headers and in the body."""
    if not isinstance(message, Request | Notification):
        return
    declared = peek.text(message.params, "_meta", PROTOCOL_VERSION)
    version = header(request, VERSION)
    if declared is not None and declared != version:
        yield _differ(VERSION, version, declared, "_meta")
    revision = find(declared or version or "")
    routed = revision is not None and revision.routing_headers
    expected = headers_for(revision if revision is not None and routed else NEWEST, message.method, message.params)
    for name in (METHOD, NAME):
        told, wanted = header(request, name), expected.get(name)
        if told is None and not (routed and wanted is not None):
            continue
        if told is None or wanted is None or decoded(told) != decoded(wanted):
            yield _differ(name, told, None if wanted is None else decoded(wanted), "the body")


def _differ(name: str, told: str | None, wanted: str | None, where: str) -> str:
    says = f"{name} says {_shown(decoded(told))}" if told is not None else f"there is no {name}"
    return f"{says}, {where} {'has none' if wanted is None else 'says ' + _shown(wanted)}"


def _shown(value: str) -> str:
    return text.visible(value, limit=200) or "nothing"
