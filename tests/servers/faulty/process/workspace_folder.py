"""${workspaceFolder} is a variable of one editor; this host passes it on unexpanded."""
# expects: placeholder-not-expanded
# exit: 4
# command: {python} ${workspaceFolder}/server.py
