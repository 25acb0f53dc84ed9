"""Captures as texts for people: what foreign programs said stands in them as data."""
