"""The part of the table of keys that is about HTTP exchanges."""

from inspector.tui.actions import Action, Where

_N = Where.NETWORK
NETWORK: tuple[Action, ...] = (
    Action("network.entry", ("o",), "In the traffic", "Show the exchange's request in the traffic.", _N, "entry", True),
    Action("network.reveal", ("z",), "Reveal", "Show secret header values, or mask them again.", _N, "reveal", True),
)
