"""The tap: forwards and records every byte between a client and its server, and applies rules."""
