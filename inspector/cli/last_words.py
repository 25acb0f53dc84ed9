"""What is known of a server that failed, as data for a script: how it was run, how it ended, what it said last."""

from typing import Any

from inspector.capture.journal import Journal
from inspector.protocol.facts import ProcessEvent, ProcessFact

_LINES = 20
"""Of its stderr."""


def stderr_lines(journal: Journal) -> list[str]:
    """The last lines of the server's stderr, oldest first; foreign text."""
    return [line.decode("utf-8", "replace") for line in list(journal.stderr_tail)[-_LINES:]]


def last_words(journal: Journal) -> dict[str, Any]:
    """The members that a failure's JSON gets; empty if no server was started."""
    spawned = _process(journal, ProcessEvent.SPAWN)
    opened, ended = journal.connection, journal.ended
    if spawned is None or opened is None:
        return {}
    gone = _process(journal, ProcessEvent.EXIT)
    return {
        "process": {
            "argv": opened.argv,
            "cwd": opened.cwd,
            "pid": spawned.pid,
            "exit_code": gone.code if gone else None,
            "signal": (gone.signal or None) if gone else None,
            "ended_by_us": _process(journal, ProcessEvent.STDIN_EOF) is not None and not (ended and ended.why),
            "why": ended.why if ended else "",
            "stderr": stderr_lines(journal),
        }
    }


def _process(journal: Journal, event: ProcessEvent) -> ProcessFact | None:
    """The newest fact of a kind about the child."""
    found = (entry.what for entry in reversed(journal.processes))
    return next((what for what in found if isinstance(what, ProcessFact) and what.event is event), None)
