"""The start script was saved on Windows: its first line ends with CR LF, and no interpreter has that name."""
# expects: program-not-runnable
# exit: 4
# command: {here}/_windows.sh
