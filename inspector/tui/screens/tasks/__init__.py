"""Tasks: work that outlives the request that started it."""
