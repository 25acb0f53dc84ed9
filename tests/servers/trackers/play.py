"""Plays one of the servers over stdio: `python -S -m tests.servers.trackers.play FAMILY/NAME`.

Programs in `bin` do so under the names of others; what they are given is in FAULT then.
"""

import os
import sys

from tests.servers.trackers import servers_of

family, _, name = (os.environ.get("FAULT") or sys.argv[1]).partition("/")
servers_of(family)[name]()
