"""The part of the table of keys that is about findings: the screen of all of them, and the jumps in the traffic."""

from inspector.tui.actions import Action, ActionScope

_F, _T = ActionScope.FINDINGS, ActionScope.TRAFFIC
FINDINGS_SCREEN = Action(
    "screen.findings",
    ("E",),
    "Findings",
    "Show what checks have found.",
    ActionScope.EVERYWHERE,
    "app.show('findings')",
)
FINDING_JUMPS: tuple[Action, ...] = (
    Action("traffic.finding", ("J",), "Next finding", "Go to the next line with a finding.", _T, "finding(1)"),
    Action("traffic.finding_before", ("K",), "Finding before", "Go to the finding before.", _T, "finding(-1)"),
)
FINDINGS: tuple[Action, ...] = (
    Action("findings.filter", ("/",), "Filter", "Show only findings that match.", _F, "filter", footer=True),
    Action("findings.clear", ("\\",), "Clear filter", "Show all findings again.", _F, "clear_filter"),
    Action(
        "findings.mute",
        ("m",),
        "Mute",
        "Mute the finding, or on a heading its check, in this capture; again to hear of it.",
        _F,
        "mute",
        footer=True,
    ),
    Action("findings.muted", ("M",), "Show muted", "Show the muted ones too, or hide them.", _F, "muted", footer=True),
    Action("findings.pause", ("p",), "Pause", "Let the checks stand still, or go on.", _F, "pause"),
)
"""The order is the order of footer and help."""
