"""Trackers of conversation state: one aspect per module, each fed by events and independent of the others."""
