"""What it calls a PNG is a page that says 404."""
# expects: content-mime-type-mismatch
# exit: 5
# options: --call forecast={}

import base64
from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}

PAGE = base64.b64encode(b"<!doctype html><title>404 Not Found</title>").decode()
MAP = {"type": "image", "mimeType": "image/png", "data": PAGE}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [MAP]}})
