"""Checks: rules of the specification and diagnoses of servers, over the entries of a capture."""
