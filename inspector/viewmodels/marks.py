"""How a row of a list says that its thing is new, or has changed: a sign and a word."""

from inspector.viewmodels import signs
from inspector.viewmodels.roles import Span

MARKS: dict[str, Span] = {"new": ("+ new", "added"), "changed": (f"{signs.EVENT} changed", "warning")}
