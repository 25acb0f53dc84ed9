"""Runs of pinned real clients that observe the facts about them."""
