"""The filter language for messages: one grammar for the traffic list, the command line and others."""
