"""Server definitions in a form that can be stored and compared."""
