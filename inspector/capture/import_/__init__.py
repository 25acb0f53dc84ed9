"""Import of other programs' recordings as captures.

Each format has a file, which recognises it and lists what it does not record.
"""
