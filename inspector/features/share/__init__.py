"""Copies of captures without secrets."""
