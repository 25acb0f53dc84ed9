"""Watches the source of a server: which files, when one has changed, and how often that is worth a restart."""
