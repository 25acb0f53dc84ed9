"""Writes 8 MiB to stderr without a line end, then `done` to stdout, and waits for the end of stdin."""

import sys

for _ in range(128):
    sys.stderr.buffer.write(b"." * 65536)
sys.stderr.buffer.flush()
sys.stdout.write("done\n")
sys.stdout.flush()
sys.stdin.buffer.read()
