"""The container's wrapper reports 137: its server took too much memory and was killed."""
# expects: server-killed
# exit: 4
# command: /bin/sh -c "{python} {file}; exit $?"

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
