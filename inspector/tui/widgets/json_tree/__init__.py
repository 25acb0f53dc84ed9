"""JSON as a tree of foldable rows, with search and decoding."""
