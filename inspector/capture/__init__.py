"""Captures: entries are numbered, timestamped, written to disk and read back."""
