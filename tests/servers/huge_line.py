"""Writes one line of 100 MB, or of the given number of bytes, then a short one."""

import sys

size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000
block = b"x" * 100_000
for _ in range(size // len(block)):
    sys.stdout.buffer.write(block)
sys.stdout.buffer.write(b"\nshort\n")
