"""A script of PowerShell writes UTF-8 with a mark: the first message begins with three bytes too many."""
# expects: byte-order-mark
# exit: 0

import sys

from tests.servers.speaking import TOOL, serve

sys.stdout.buffer.write(b"\xef\xbb\xbf")
serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})
