"""Comparing what captures hold, operation by operation."""
