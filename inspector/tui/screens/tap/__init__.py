"""Dialog of an attached tap: held messages and rules."""
