"""Entries of a journal at scale: columns in memory, payloads on disk, an index, and earlier states."""
