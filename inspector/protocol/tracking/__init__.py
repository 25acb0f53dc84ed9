"""Trackers of conversation state: one aspect per module, fed by events, independent of each other."""
