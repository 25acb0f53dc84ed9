"""Bytes in and out. Carries, reports, and interprets nothing."""
