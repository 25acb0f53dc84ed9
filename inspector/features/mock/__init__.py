"""Mock: replays the server side of a capture."""
