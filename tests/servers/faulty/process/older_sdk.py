"""It does not pin its SDK: yesterday's installation got version 2, which has no mcp.server.fastmcp."""
# expects: sdk-version-mismatch
# exit: 4

import sys

sys.stderr.write('Traceback (most recent call last):\n  File "/app/server.py", line 1, in <module>\n')
sys.stderr.write("    from mcp.server.fastmcp import FastMCP\n")
sys.stderr.write("ModuleNotFoundError: No module named 'mcp.server.fastmcp'\n")
sys.exit(1)
