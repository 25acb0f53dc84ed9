"""Skills: the skills a server lists, read and verified."""
