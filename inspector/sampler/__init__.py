"""Language model that answers sampling requests: any endpoint with the chat completions API."""
