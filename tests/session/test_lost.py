"""Which answers say that an HTTP session is not known any more."""

import pytest

from inspector.session.lost import is_lost


@pytest.mark.parametrize(
    ("status", "said", "lost"),
    [
        (404, "", True),
        (404, "Session not found", True),
        (400, "Bad Request: No valid session ID provided", True),
        (400, "Bad Request: Unsupported protocol version", False),
        (500, "session store is down", False),
        (200, "session", False),
        (None, "session", False),
    ],
)
def test_a_404_does_and_a_400_that_speaks_of_the_session(status: int | None, said: str, lost: bool) -> None:
    assert is_lost(status, said) is lost
