"""Sessions: list of recorded captures, and comparison of two."""
