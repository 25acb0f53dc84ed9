"""Runs a parsed filter over the entries of a journal."""
