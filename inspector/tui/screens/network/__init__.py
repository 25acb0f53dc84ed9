"""Network: HTTP exchanges with headers, timing and bodies."""
