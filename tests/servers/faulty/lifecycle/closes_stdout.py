"""It sends its stdout to /dev/null, to keep the prints of its libraries away, and loses the protocol with them."""
# expects: stdout-closed
# exit: 4

import os
import time
from typing import Any

from tests.servers.speaking import serve


def tools(request: dict[str, Any]) -> None:
    """Silence everybody, and work on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    time.sleep(60)


serve({"tools/list": tools})
