"""It connects to its database before it speaks, and the database is not running: a traceback and exit code 1."""
# expects: exit-during-handshake
# exit: 4

import socket

socket.create_connection(("127.0.0.1", 1), timeout=1)
