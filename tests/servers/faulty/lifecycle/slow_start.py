"""It loads a model before it looks at its stdin: hosts with little patience give up, others wait."""
# expects: slow-handshake
# exit: 0
# options: --era legacy

import time

from tests.servers.speaking import TOOL, serve

time.sleep(5.3)
serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})
