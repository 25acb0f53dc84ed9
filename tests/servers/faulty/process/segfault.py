"""A native module of another architecture: the server dies of SIGSEGV as soon as it loads it."""
# expects: server-killed
# exit: 4

import os
import signal

os.kill(os.getpid(), signal.SIGSEGV)
