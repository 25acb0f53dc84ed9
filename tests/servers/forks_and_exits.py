"""Starts a grandchild that inherits its pipes, says its number, and exits.

`stubborn`: one that ignores SIGTERM; `brief`: one that ends as an orphan.
"""

import os
import select
import signal
import sys

if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
grandchild = os.fork()
if grandchild == 0:
    parent = os.getppid()
    while "brief" not in sys.argv or os.getppid() == parent:
        select.select([], [], [], 0.01)
    sys.exit()
sys.stdout.write(f"{grandchild}\n")
sys.stdout.flush()
