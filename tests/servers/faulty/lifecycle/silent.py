"""“Request timed out”: the process lives, reads, and says nothing, on stdout or stderr."""
# expects: server-silent
# exit: 7
# options: --timeout 2.5

import sys

for _ in sys.stdin:
    pass
