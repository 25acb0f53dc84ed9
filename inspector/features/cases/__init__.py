"""Requests with what is expected of their answers: written from what was seen, run against a live server."""
