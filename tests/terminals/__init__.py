"""Real terminals under a virtual display: `python -m tests.terminals`. Outside the suite: it needs their packages."""
