"""Skills that a server lists, read and verified."""
