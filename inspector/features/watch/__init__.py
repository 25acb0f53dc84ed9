"""Watches the source of a server: which files, when they change, and when to restart."""
