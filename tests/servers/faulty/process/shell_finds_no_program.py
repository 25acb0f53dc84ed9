"""A start script calls a program that is not installed: exit code 127, and the shell's sentence on stderr."""
# expects: program-not-runnable
# exit: 4
# command: /bin/sh -c "exec weather-mcp-server --stdio"
