"""logging.basicConfig(stream=sys.stdout): each request leaves a line between the messages."""
# expects: stdout-not-json

import logging
import sys
from typing import Any

from tests.servers.speaking import TOOL, serve

logging.basicConfig(stream=sys.stdout, level=logging.INFO)


def tools(request: dict[str, Any]) -> Any:
    """List them, and tell everybody."""
    logging.info("Processing request of type ListToolsRequest")
    return {"tools": [TOOL]}


serve({"tools/list": tools})
