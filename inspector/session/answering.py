"""How the server's own requests are answered as long as nobody has declared that more can be answered.

`ping` always gets its empty result, also before the conversation is open. Everything else gets the error that the
specification asks of a client without that capability, at once: silence would hang the server.
"""

from inspector.protocol import jsonrpc
from inspector.protocol.revisions._shape import Revision

METHOD_NOT_FOUND = -32601


def answer_to(request: jsonrpc.Request, revision: Revision | None) -> bytes:
    """The answer to a request of the server's, ready to be sent."""
    if request.method == "ping":
        return jsonrpc.write_answer(request.id, {})
    known = revision is not None and request.method in revision.server_requests
    why = "this client has not declared the capability for it" if known else "no such method in this revision"
    return jsonrpc.write_error(request.id, METHOD_NOT_FOUND, f"{request.method}: {why}")
