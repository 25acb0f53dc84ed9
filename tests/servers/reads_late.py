"""Reads its stdin only after a SIGUSR1; then says how long each line was, and ends with the stream."""

import signal
import sys

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # else one that comes before the wait is lost
sys.stdout.write("ready\n")
sys.stdout.flush()
signal.sigwait({signal.SIGUSR1})
for line in sys.stdin.buffer:
    sys.stdout.write(f"{len(line)}\n")
    sys.stdout.flush()
