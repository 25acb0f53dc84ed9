"""Reads its stdin only after a SIGUSR1; then says how long each line was, and ends with the stream."""

import signal
import sys

signal.signal(signal.SIGUSR1, lambda *_: None)
sys.stdout.write("ready\n")
sys.stdout.flush()
signal.pause()
for line in sys.stdin.buffer:
    sys.stdout.write(f"{len(line)}\n")
    sys.stdout.flush()
