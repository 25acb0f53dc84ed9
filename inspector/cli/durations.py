"""Spans of time on the command line: seconds, or a number with its unit, as `500ms`, `5s`, `2m`, `1h`."""

import re

import click

_SPAN = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(ms|s|m|h)\Z"
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str | float) -> float:
    """A span of time in seconds, as the type of an option. Whether it makes sense is for whoever waits to say.

    Raises: click.BadParameter, which tells what may be written.
    """
    try:
        return float(text)
    except ValueError:
        found = re.match(_SPAN, str(text).strip())
    if found is None:
        raise click.BadParameter(f"{text!r} is no span of time: give seconds (5), or 500ms, 5s, 2m, 1h.")
    return float(found[1]) * _SECONDS[found[2]]


def lasting(text: str | float) -> float:
    """The same for one that must be longer than nothing. Raises: click.BadParameter."""
    seconds = duration(text)
    if not seconds > 0:
        raise click.BadParameter(f"{text} is not more than 0 seconds.")
    return seconds
