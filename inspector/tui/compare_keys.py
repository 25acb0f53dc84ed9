"""The part of the table of keys that is about two captures side by side."""

from inspector.tui.actions import Action, Where

_C = Where.COMPARE
COMPARING: tuple[Action, ...] = (
    Action("compare.next", ("n",), "Next difference", "Go to the next operation that differs.", _C, "jump(1)", True),
    Action("compare.previous", ("N",), "Before", "Go to the operation before that differs.", _C, "jump(-1)", True),
    Action("compare.exact", ("x",), "Exact", "Compare ids, times and ports too, or no more.", _C, "exact", True),
    Action("compare.leave", ("escape", "q"), "Back", "Leave the comparison.", _C, "leave", True),
)
"""The order is the order of footer and help."""
