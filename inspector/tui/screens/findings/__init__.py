"""Findings: what checks found, with evidence and fixes."""
