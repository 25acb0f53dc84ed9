"""The command is a filter, such as cat, or the server runs in a terminal that echoes: every message comes back."""
# expects: input-echoed
# exit: 4
# command: /bin/cat
# options: --timeout 2.5
