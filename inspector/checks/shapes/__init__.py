"""Shapes of params and results in each revision, and their validation."""
