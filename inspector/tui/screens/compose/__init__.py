"""Composer: write any message by hand, send it, and see what it led to."""
