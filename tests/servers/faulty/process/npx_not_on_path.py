"""Works in the terminal, not in the desktop program: node is installed by a version manager, and PATH has only bin."""
# expects: command-not-found
# exit: 4
# command: npx -y @acme/weather-mcp
# options: -e PATH=/nonexistent/bin
