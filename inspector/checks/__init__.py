"""Checks: rules of the specification and diagnoses of servers, applied to the entries of a capture."""
