"""Test cases: made from captures, run against servers, kept in files."""
