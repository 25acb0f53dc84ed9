"""It opens a web page beside stdio, on a fixed port, and an older copy of it still runs."""
# expects: port-in-use
# exit: 4

import socket

with socket.create_server(("127.0.0.1", 0)) as older:
    socket.create_server(older.getsockname())
