"""Starts a child in a session of its own, says so, and ends with stdin; the child stays."""

import os
import sys

NULL = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in range(3)]
os.posix_spawnp("sleep", ["sleep", "60"], os.environ, file_actions=NULL, setsid=True)
print("{}", flush=True)
sys.stdin.read()
