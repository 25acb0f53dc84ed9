"""Login dialog: the steps of an OAuth login."""
