"""Captures in the formats of other programs. One file a format; each yields pieces, so that a large one is streamed."""
