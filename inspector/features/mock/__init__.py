"""A capture's server, played for its clients: what was recorded is said again, and nothing of a capture is run."""
