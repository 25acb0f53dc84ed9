"""Actions of Captures, of the comparison of two, of exporting and of opening."""

from inspector.tui.actions import Action, ActionScope

_S, _C, _X, _O = ActionScope.SESSIONS, ActionScope.COMPARE, ActionScope.EXPORT, ActionScope.OPEN
_T = ActionScope.START
CAPTURES: tuple[Action, ...] = (
    Action("captures.refresh", ("r",), "Refresh", "Read the list of captures again.", _S, "look_again", True),
    Action("captures.note", ("x n",), "Note", "Write a note about this capture.", _S, "note", True),
    Action("captures.compare", ("v d",), "Diff", "Compare this capture with another one.", _S, "compare", True),
    Action("captures.delete", ("x d",), "Delete", "Delete the capture and its notes; asks first.", _S, "delete", True),
)
COMPARING: tuple[Action, ...] = (
    Action("compare.next", ("n",), "Next difference", "Go to the next operation that differs.", _C, "jump(1)", True),
    Action(
        "compare.previous",
        ("N",),
        "Previous difference",
        "Go to the previous operation that differs.",
        _C,
        "jump(-1)",
        True,
    ),
    Action(
        "compare.exact", ("=",), "Exact", "Compare ids, times and ports too; again ignores them.", _C, "exact", True
    ),
    Action("compare.leave", ("escape", "q"), "Back", "Leave the comparison.", _C, "leave", True),
)
EXPORTING: tuple[Action, ...] = (
    Action("export.what", ("right",), "Next scope", "Select the next part to export.", _X, "what(1)", True),
    Action("export.what_before", ("left",), "Previous scope", "Select the previous part to export.", _X, "what(-1)"),
    Action(
        "export.notes", ("m",), "Include marks", "Include marks and comments, or leave them out.", _X, "notes", True
    ),
    Action("export.list", ("up",), "List", "Return from the path to the list.", _X, "list"),
    Action("export.leave", ("escape",), "Back", "Leave; a running export is finished.", _X, "leave", True),
)
STARTING: tuple[Action, ...] = (
    Action("open.type", ("/",), "Type", "Type a URL, a command or a capture.", _O, "type", True),
    Action("open.go", ("enter",), "Open", "Open what is typed; if nothing is, the first row.", _O, "go", True),
    Action("open.list", ("down",), "List", "Go to the list.", _O, "list", True, True),
    Action("start.add", ("a",), "Add target", "Save a command or a URL under a name.", _T, "add", True),
    Action("start.demo", ("t",), "Demo", "Open the demo server.", _T, "demo", True),
    Action("start.edit", ("x e",), "Edit", "Edit or rename this target; a recent one is saved.", _T, "edit"),
    Action("start.delete", ("x d",), "Delete", "Delete this target; asks first.", _T, "delete"),
    *(
        Action(f"start.open_{n}", (str(n),), f"Open {n}", f"Open saved or recent target {n}.", _T, f"open_nth({n})")
        for n in range(1, 10)
    ),
    Action("start.confirm", ("enter",), "Continue", "Do what was asked about.", ActionScope.CONFIRM, "confirm", True),
)
