"""The repository was moved, the configuration still names the old place."""
# expects: P-01
# exit: 4
# command: /opt/nowhere/weather-mcp/run.sh
