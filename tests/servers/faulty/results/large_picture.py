"""It returns a map of 3 MB as an image."""
# expects: image-too-large
# exit: 0
# options: --call forecast={}

import base64
from typing import Any

from tests.servers.speaking import serve

TOOL: dict[str, Any] = {"name": "forecast", "description": "Tells the weather.", "inputSchema": {"type": "object"}}

PNG = b"\x89PNG\r\n\x1a\n" + bytes(3 << 20)
MAP = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(PNG).decode()}
serve({"tools/list": {"tools": [TOOL]}, "tools/call": {"content": [MAP]}})
