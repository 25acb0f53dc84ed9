"""The eight levels of a log message, from the least to the gravest, and where a request names the one it wants.

The names are those of syslog (RFC 5424). What a server writes in their place is any JSON; `rank` knows the eight.

Source: specification, server/utilities/logging, in all revisions.
"""

from typing import Any

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
LOG_MESSAGE = "notifications/message"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
"""The member of a request's `_meta` that asks for log messages from a level on (2026-07-28)."""


def rank(level: Any) -> int | None:
    """How grave a level is, from 0; None for what is none of the eight."""
    return LEVELS.index(level) if isinstance(level, str) and level in LEVELS else None
