"""Resending the client requests of a capture to a live server."""
