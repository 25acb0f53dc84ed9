"""A proxy of `fastmcp` that leads to a server over HTTP: `PYTHON proxy.py URL [PORT]`."""

# mypy: ignore-errors

import sys

from fastmcp.server import create_proxy

server = create_proxy(sys.argv[1], name="proxy")
if len(sys.argv) > 2:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.run()
