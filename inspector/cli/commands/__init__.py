"""Commands, one module each; commands with the same helpers share one. See the table in main.py."""
