"""One live conversation: drives flows over a transport."""
