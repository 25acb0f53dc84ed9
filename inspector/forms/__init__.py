"""JSON Schemas as forms: for tool arguments, elicitation, prompt arguments and the command line. No I/O."""
