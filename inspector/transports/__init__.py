"""Transports: carry bytes in and out and report them, without interpreting anything."""
