"""Closes its stdout and goes on until its stdin ends; `stdin`: closes that one, and goes on until SIGTERM."""

import os
import signal
import sys

if "stdin" in sys.argv:
    os.close(0)
    os.write(1, b"ready\n")
    signal.pause()
os.close(1)
sys.stdin.buffer.read()
