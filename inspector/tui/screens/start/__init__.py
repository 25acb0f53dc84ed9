"""Start screen: configured servers, recent captures, and approval before a start."""
