"""A form generated from a JSON Schema."""
