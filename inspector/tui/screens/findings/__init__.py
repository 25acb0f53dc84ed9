"""Findings of the checks, with evidence and fixes."""
