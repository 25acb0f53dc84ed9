"""Writes notifications of 200 bytes as fast as possible (100,000, or the given number), then ends."""

import sys

count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
start = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'
line = start + b"x" * (199 - len(start) - 3) + b'"}}\n'
block = line * 100
for _ in range(count // 100):
    sys.stdout.buffer.write(block)
