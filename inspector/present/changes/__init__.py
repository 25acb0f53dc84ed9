"""Changes as lines: both sides of two values, lists, results of a read, captures."""
