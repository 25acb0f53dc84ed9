"""Writes a prompt to stderr and half a message to stdout, neither with a line end; ends with its stdin."""

import sys

sys.stderr.write("Password: ")
sys.stderr.flush()
sys.stdout.write('{"jsonrpc":')
sys.stdout.flush()
sys.stdin.buffer.read()
