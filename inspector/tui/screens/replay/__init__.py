"""Replay of captures: position, playback and controls."""
