"""Marks, comments and saved views of a capture."""
