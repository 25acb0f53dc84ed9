"""Results of calls, reads and tasks: the panel, its views, and the calls they belong to."""
