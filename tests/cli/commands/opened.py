"""The interface, replaced by a note of what it would have been opened on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from inspector.cli.exit_status import ExitStatus
from inspector.session.engine import Live
from inspector.session.options import SessionState
from tests.waiting import PATIENCE_S, until


@contextmanager
def opened() -> Iterator[list[Live]]:
    """For the time of the block, commands with an interface connect and leave; the conversations they had."""
    lives: list[Live] = []

    def show(begin: Callable[[], Live], first: Live, *_: object) -> ExitStatus:
        async def settled() -> None:
            await until(
                lambda: first.state is not SessionState.CONNECTING, "the server had answered or failed", timeout=60
            )

        first.begin()  # as the interface does after its first picture
        first.engine.submit(settled()).result(PATIENCE_S)
        lives.append(first)
        return ExitStatus.OK

    with mock.patch("inspector.cli.interface.show_live", show):
        yield lives
