"""The command is a filter, such as cat, or the server runs in a terminal that echoes: every message comes back."""
# expects: F-13
# exit: 4
# command: /bin/cat
# options: --timeout 2.5
