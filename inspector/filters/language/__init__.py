"""The text of a filter: fields, parser, completion."""
