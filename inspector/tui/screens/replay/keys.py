"""Actions of a replayed capture: on every screen, and in the replay bar."""

from inspector.tui.actions import Action, ActionScope

_R, _B = ActionScope.REPLAY, ActionScope.REPLAY_BAR
REPLAYING: tuple[Action, ...] = (
    Action(
        "replay.play", ("x space",), "Play or pause", "Play or pause the capture at its original speed.", _R, "app.play"
    ),
    Action("replay.slower", ("<",), "Slower", "Decrease the playback speed.", _R, "app.speed(-1)"),
    Action("replay.faster", (">",), "Faster", "Increase the playback speed.", _R, "app.speed(1)"),
    Action("replay.on", ("right",), "Next entry", "Go to the next entry, on any screen.", _R, "app.step(1)"),
    Action("replay.back", ("left",), "Previous entry", "Go to the previous entry.", _R, "app.step(-1)"),
    Action("replay.next", ("g x",), "Next exchange", "Go to the next request.", _R, "app.step_exchange(1)"),
    Action(
        "replay.previous", ("g X",), "Previous exchange", "Go to the previous request.", _R, "app.step_exchange(-1)"
    ),
    Action(
        "replay.match", ("n",), "Next match", "Go to the next entry that matches the filter.", _R, "app.step_match(1)"
    ),
    Action(
        "replay.match_before",
        ("N",),
        "Previous match",
        "Go to the previous entry that matches.",
        _R,
        "app.step_match(-1)",
    ),
    Action("replay.go_to", ("g n",), "Number or time", "Go to an entry by its number or time.", _R, "app.go_to_entry"),
    Action("replay.start", ("g <",), "Start of replay", "Go to the first entry.", _R, "app.replay_start"),
    Action("replay.end", ("g >",), "End of replay", "Go to the end and show everything.", _R, "app.replay_end"),
    Action(
        "replay.marks", ("g m",), "Marks and views", "List the marks of the capture, and go to one.", _R, "app.marks"
    ),
    Action(
        "bar.play",
        ("space",),
        "Play or pause",
        "Play or pause the capture at its original speed.",
        _B,
        "app.play",
        True,
    ),
    Action("bar.start", ("home",), "Start", "Go to the first entry.", _B, "app.replay_start", True),
    Action("bar.end", ("end",), "End", "Go to the end and show everything.", _B, "app.replay_end", True),
)
