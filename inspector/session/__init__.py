"""A live conversation: drives flows over a transport."""
