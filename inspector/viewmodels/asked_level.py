"""From which level on the server is asked for log messages, and how: what the log's screen says above its lines.

In the handshake era the last `logging/setLevel` tells; in the stateless era each request carries the level itself.
"""

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.revisions._shape import LogLevel
from inspector.viewmodels import signs, text
from inspector.viewmodels.roles import Span

NO_MESSAGES = "none: ask for no log messages"
"""The choice beside the levels, where each request asks."""
_CAPABILITY = "logging"


def takes_levels(journal: Journal) -> bool:
    """Whether each request asks for its level itself."""
    opening = journal.conversation.opening
    return opening is not None and opening.revision.log_level is LogLevel.META


def asked_level(
    journal: Journal, setting: Exchange | None, stamped: str, *, can_set: bool = True
) -> tuple[list[Span], list[Span]]:
    """What is asked for, and what the server declares of it.

    `setting` is the newest request that sets a level, `stamped` the level that every request carries, `can_set`
    whether somebody could set another one.
    """
    opening = journal.conversation.opening
    declares = opening is not None and _CAPABILITY in opening.capabilities
    return [("Log", "title"), ("   ", "text"), *_asked(journal, setting, stamped)], _declared(
        journal, declares, can_set
    )


def _declared(journal: Journal, declares: bool, can_set: bool) -> list[Span]:
    if journal.conversation.opening is None:
        return []
    if declares:
        return [("S sets the level", "faint")] if journal.live and can_set else []
    return [(f"{signs.WARNING} no logging capability: stderr only is to be expected", "warning")]


def _asked(journal: Journal, setting: Exchange | None, stamped: str) -> list[Span]:
    if takes_levels(journal) and setting is None:
        if stamped:
            return [("each request asks for ", "muted"), (stamped, "accent"), (" and graver", "muted")]
        return [("requests ask for no log messages", "muted")] if journal.live else []
    if setting is None:
        return [("no level set: the server decides", "muted")] if journal.conversation.opening else []
    level: Span = (text.visible(setting.target, limit=40) or "?", "accent")
    number: Span = (f"  #{setting.request_frame}", "faint")
    match setting.state:
        case ExchangeState.PENDING if journal.live:
            return [(f"{signs.PENDING} setting ", "pending"), level, number]
        case ExchangeState.ANSWERED | ExchangeState.LATE:
            return [level, (" and graver, set by logging/setLevel", "muted"), number]
        case ExchangeState.ERROR:
            return [(f"{signs.ERROR} refused ", "error"), level, (f", error {setting.error_code}", "error"), number]
        case _:
            return [(f"{signs.WARNING} no answer to ", "warning"), level, number]
