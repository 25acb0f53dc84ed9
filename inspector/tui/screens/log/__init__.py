"""Log: log messages of the server and lines of its stderr."""
