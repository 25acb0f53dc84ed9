"""The tools of the server, one in each module."""
