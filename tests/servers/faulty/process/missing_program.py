"""“spawn mcp-server-wether ENOENT”: a letter is missing in the command of the configuration."""
# expects: P-01
# exit: 4
# command: mcp-server-wether --stdio
