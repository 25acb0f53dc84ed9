"""A real language model that answers sampling requests: any endpoint that speaks chat completions."""
