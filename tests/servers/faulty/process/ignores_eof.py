"""Everything works; only, after each session one more copy of the server is left in the list of processes."""
# expects: stdin-eof-ignored
# exit: 0

import time

from tests.servers.speaking import TOOL, serve

serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})
while True:
    time.sleep(60)
