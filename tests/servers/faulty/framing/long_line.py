"""The list of tools carries a whole handbook in a description: one message of 17 MB."""
# expects: message-too-long
# exit: 0

from tests.servers.speaking import TOOL, serve

serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given. " + "x" * (17 << 20)}]}})
