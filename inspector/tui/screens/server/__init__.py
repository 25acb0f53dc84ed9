"""Server: identity, capabilities, process, and why a connection failed."""
