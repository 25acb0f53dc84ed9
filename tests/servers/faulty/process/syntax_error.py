"""The server uses syntax that the interpreter of the configuration does not have."""
# expects: exit-during-handshake
# exit: 4
# command: {python} -c "def serve(tools): return tools with stdio"
