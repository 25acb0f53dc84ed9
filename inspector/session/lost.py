"""Whether a server says that it does not know an HTTP session any more.

"When a client receives HTTP 404 in response to a request containing an Mcp-Session-Id, it MUST start a new session"
(specification 2025-03-26 to 2025-11-25, basic/transports). Widely copied example servers answer 400 instead, with a
sentence about the session; either way the request was not done.
"""


def is_lost(status: int | None, said: str) -> bool:
    """Whether this status and body, or message, answer a request with a session id so."""
    return status == 404 or (status == 400 and "session" in said.lower())
