"""“python src/server.py” was copied from the README; the host starts it in the home directory."""
# expects: file-not-found
# exit: 4
# command: {python} src/server.py
# options: --cwd /
