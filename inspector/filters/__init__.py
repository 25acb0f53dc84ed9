"""The filter language: one grammar for the traffic list, the command line and whatever else asks "which messages?"."""
