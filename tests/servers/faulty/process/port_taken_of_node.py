"""The same in node's words."""
# expects: port-in-use
# exit: 4

import sys

sys.exit(
    "node:events:497\n      throw er; // Unhandled 'error' event\n\n"
    "Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle (node:net:1937:16) {\n"
    "  code: 'EADDRINUSE',\n  errno: -98,\n  syscall: 'listen',\n  address: '::',\n  port: 3000\n}"
)
