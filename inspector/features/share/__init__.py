"""A copy of a capture for somebody else: what gives access or names a person is taken out, and the rest stays."""
