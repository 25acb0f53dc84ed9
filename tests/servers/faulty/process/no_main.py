"""“The server disconnects at once”: it defines its tools, but never calls run()."""
# expects: exit-without-input
# exit: 4


def serve() -> None:
    """Never called: the last two lines of the example were not copied."""
    raise SystemExit("not reached")
