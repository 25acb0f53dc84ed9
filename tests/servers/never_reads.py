"""Never reads its stdin; says `ready`, and then something at every SIGUSR1."""

import signal
import sys


def speak(_number: int, _frame: object) -> None:
    """Show that it still lives."""
    sys.stdout.write("still here\n")
    sys.stdout.flush()


signal.signal(signal.SIGUSR1, speak)
sys.stdout.write("ready\n")
sys.stdout.flush()
while True:
    signal.pause()
