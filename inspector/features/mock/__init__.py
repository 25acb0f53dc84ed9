"""Mock: plays the server of a capture."""
