"""Greets on stdout before it speaks the protocol: a banner, a blank line, a line with a CRLF. Then echoes."""

import sys

sys.stdout.buffer.write(b"Welcome to the server!\n\nListening\r\n")
sys.stdout.buffer.flush()
for line in sys.stdin.buffer:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
