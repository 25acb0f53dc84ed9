"""uvx builds an environment of 120 packages before the server's first line."""
# expects: package-still-installing
# exit: 7
# command: uvx weather-mcp
# path: bin
# options: --timeout 2.5
