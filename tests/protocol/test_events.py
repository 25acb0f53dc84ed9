"""The union of events is closed: what the fold returns is one of these."""

from typing import get_args

from inspector.protocol import events


def test_every_event_of_the_file_is_in_the_union() -> None:
    classes = {
        value for value in vars(events).values() if isinstance(value, type) and value.__module__ == events.__name__
    }
    assert classes == set(get_args(events.Event))
