"""A start script runs a file that lacks its x bit: exit code 126."""
# expects: program-not-runnable
# exit: 4
# command: /bin/sh -c "{here}/not_executable.py"
