"""Ends right after its start, last words first: by an exit code, or by the signal whose name it is given."""

import os
import signal
import sys

how = sys.argv[1] if len(sys.argv) > 1 else "1"
sys.stdout.write("last line on stdout\n")
sys.stdout.flush()
sys.stderr.write("cannot go on\n")
sys.stderr.flush()
if how.isdigit():
    sys.exit(int(how))
os.kill(os.getpid(), signal.Signals[how])
