"""From a capture to the script of one of its connections."""

import msgspec

from inspector.capture.journal import Journal
from inspector.replay.mock.openings import opening_of
from inspector.replay.mock.outline import Outline
from inspector.replay.mock.script import Script
from inspector.replay.mock.turns import Turns
from inspector.replay.mock.wires import RECORD, chosen, nothing_to_play

OPENING = {"initialize", "notifications/initialized", "server/discover", "ping"}
"""What clients say before they ask for anything."""


def read_script(journal: Journal, connection: str = "") -> Script:
    """The script of a capture, which is read from it while it is played. `connection` is a name; "" for the only one.

    Raises: UsageError where there is nothing to play, or where it isn't told which of several is meant.
    """
    wire = chosen(journal, connection)
    outline = Outline(journal, wire)
    turns = Turns(outline)
    if not turns:
        raise nothing_to_play()
    notes = (*_redacted(journal), *_without_calls(turns))
    script = opening_of(outline.conversation.opening, turns, path=wire.path, notes=notes)
    return msgspec.structs.replace(script, old_carriage=wire.about.startswith("sse "))


def _without_calls(turns: Turns) -> tuple[str, ...]:
    if not {*turns.methods} <= OPENING:
        return ()
    return (f"nothing but the opening was recorded, so all other requests get an error. {RECORD}",)


def _redacted(journal: Journal) -> tuple[str, ...]:
    on, policy = journal.head.redaction.on, journal.head.redaction.policy
    if on == "none" or policy in ("none", "credentials"):
        return ()
    return (f"the capture is redacted ({policy[:40]}): what was taken out is served as it stands there",)
