"""JSON Schemas as forms, for tool arguments, elicitation, prompts and the command line. No I/O."""
