"""Closes its stdout and runs until its stdin ends; `stdin`: closes its stdin and runs until SIGTERM."""

import os
import signal
import sys

if "stdin" in sys.argv:
    os.close(0)
    os.write(1, b"ready\n")
    signal.pause()
os.close(1)
sys.stdin.buffer.read()
