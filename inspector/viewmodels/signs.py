"""The signs that view-models write, one cell each. A sign never stands alone: a word beside it says the same.

They are those of `tui/styles.py`, which also knows what to put in their place where a terminal can't write them.
"""

TO_SERVER = "→"
FROM_SERVER = "←"
NOTE = "·"
OK = "✓"
ERROR = "✗"
WARNING = "▲"
PENDING = "⋯"
STDERR = "!"
EVENT = "◆"
CONNECTED = "●"
DISCONNECTED = "○"
CLOSED = "▸"
OPENED = "▾"
BRANCH = "└"
TIMES = "×"
FINDING = "⚑"
CLAIMED = "~"
