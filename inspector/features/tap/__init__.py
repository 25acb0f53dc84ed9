"""The tap: between a client and its server, it passes on and records every byte, and applies rules."""
