"""Starts a grandchild that inherits its pipes, says its number, and exits. `stubborn`: that ignores SIGTERM."""

import os
import signal
import sys

if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
grandchild = os.fork()
if grandchild == 0:
    while True:
        signal.pause()
sys.stdout.write(f"{grandchild}\n")
sys.stdout.flush()
