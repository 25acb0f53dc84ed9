"""The handshake succeeds; the list of tools needs more memory than available, and the system kills the server."""
# expects: server-killed
# exit: 4

import os
import signal
from typing import Any

from tests.servers.speaking import serve


def die(request: dict[str, Any]) -> None:
    """What the system does to it."""
    os.kill(os.getpid(), signal.SIGKILL)


serve({"tools/list": die})
