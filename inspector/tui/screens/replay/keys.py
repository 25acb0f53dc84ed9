"""The part of the table of keys that is about a recording: playing it, going through it, and marks in it."""

from inspector.tui.actions import Action, ActionScope

_R, _T = ActionScope.REPLAY, ActionScope.TRAFFIC
REPLAYING: tuple[Action, ...] = (
    Action("replay.play", ("_",), "Play/pause", "Let what was recorded come in its own time.", _R, "app.play"),
    Action("replay.speed", ("%",), "Speed", "Play faster; after the fastest comes the slowest.", _R, "app.speed"),
    Action("replay.on", ("right",), "Entry on", "Go one entry on, whichever screen is shown.", _R, "app.step(1)"),
    Action("replay.back", ("left",), "Entry back", "Go one entry back.", _R, "app.step(-1)"),
    Action("replay.next", ("}",), "Next exchange", "Stand at the next request.", _R, "app.step_exchange(1)"),
    Action("replay.previous", ("{",), "Exchange before", "Stand at the request before.", _R, "app.step_exchange(-1)"),
    Action(
        "replay.match", ("n",), "Next match", "Stand at the next one that the filter shows.", _R, "app.step_match(1)"
    ),
    Action("replay.match_before", ("N",), "Match before", "Stand at the match before.", _R, "app.step_match(-1)"),
    Action("replay.go_to", ("#",), "Go to", "Stand at an entry, by its number or its time.", _R, "app.go_to_entry"),
    Action("traffic.state", ("v",), "State", "Show what was known at this line, or the line again.", _T, "state"),
    Action("replay.start", ("^",), "Start", "Stand at the first entry.", _R, "app.replay_start"),
    Action("replay.end", ("$",), "End", "Go to the end, and show everything.", _R, "app.replay_end"),
)
"""The order is the order of footer and help."""
