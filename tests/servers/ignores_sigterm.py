"""Ends neither at the end of stdin nor at SIGTERM."""

import signal
import sys

signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.write("ready\n")
sys.stdout.flush()
while True:
    signal.pause()
