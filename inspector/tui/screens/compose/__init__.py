"""Composer: write any message by hand, send it, and see the responses."""
