"""“spawn mcp-server-wether ENOENT”: a letter is missing in the command of the configuration."""
# expects: command-not-found
# exit: 4
# command: mcp-server-wether --stdio
