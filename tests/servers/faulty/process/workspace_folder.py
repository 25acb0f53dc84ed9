"""${workspaceFolder} is one editor's word; this host hands it on as it stands."""
# expects: placeholder-not-expanded
# exit: 4
# command: {python} ${workspaceFolder}/server.py
