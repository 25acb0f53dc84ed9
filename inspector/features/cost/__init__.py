"""What a server costs a model: definitions, confusable tools, tool search and results."""
