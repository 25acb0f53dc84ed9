"""An exception is caught, and its traceback printed where the messages go."""
# expects: stdout-not-json

import sys
import traceback
from typing import Any

from tests.servers.speaking import TOOL, serve


def tools(request: dict[str, Any]) -> Any:
    """Look at a file that is not there, and shrug."""
    try:
        open("/nonexistent/cache.json").close()
    except OSError:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    return {"tools": [TOOL]}


serve({"tools/list": tools})
