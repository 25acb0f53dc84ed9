"""A capture, again: in its own time."""
