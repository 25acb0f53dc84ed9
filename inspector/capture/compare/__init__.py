"""Comparison of captures, operation by operation."""
