"""“Request timed out”: the process lives and reads, but writes nothing to stdout or stderr."""
# expects: server-silent
# exit: 7
# options: --timeout 2.5

import sys

for _ in sys.stdin:
    pass
