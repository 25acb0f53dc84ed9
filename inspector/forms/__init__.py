"""A JSON Schema as a form. Pure: for tool arguments, elicitation, prompt arguments and the command line alike."""
