"""The repository was moved, the configuration still names the old place."""
# expects: command-not-found
# exit: 4
# command: /opt/nowhere/weather-mcp/run.sh
