"""Actions of Findings."""

from inspector.tui.actions import Action, ActionScope

_F = ActionScope.FINDINGS
FINDINGS: tuple[Action, ...] = (
    Action("findings.filter", ("/",), "Filter", "Show only matching findings.", _F, "filter", True),
    Action("findings.clear", ("f c",), "Clear filter", "Show all findings again.", _F, "clear_filter"),
    Action(
        "findings.mute",
        ("x m",),
        "Mute",
        "Mute the finding, or on a heading its check; again unmutes it.",
        _F,
        "mute",
        True,
    ),
    Action("findings.muted", ("v M",), "Show muted", "Show or hide muted findings.", _F, "muted"),
    Action("findings.pause", ("x z",), "Pause checks", "Pause or resume the checks.", _F, "pause"),
)
