"""Without the word `serve` the program prints its help on stdout and is done."""
# expects: exit-without-input
# exit: 4

print("usage: weather-mcp COMMAND\n\ncommands:\n  serve   run the MCP server over stdio\n  login   store a token")
