"""A wrapper starts a helper in the background and ends without it: the helper stays."""
# expects: child-processes-left
# exit: 0

import subprocess

from tests.servers.speaking import TOOL, serve

subprocess.Popen(["/bin/sleep", "30"], stdin=subprocess.DEVNULL)  # noqa: TID251 - the fault itself
serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})
