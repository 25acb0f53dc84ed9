"""Places in a message, as a person writes them: `params.arguments.path`, with `*` for any one name or number.

A leading `$.` and `[0]` or `['name']` for a step are understood too, as JSONPath has them.
"""

import re

from inspector.errors import UsageError

_STEP = re.compile(r"\.?(?:\[(\d+|\*)\]|\[['\"]([^'\"\]]+)['\"]\]|([^.\[\]]+))")


class JsonPath(tuple[str, ...]):
    """The steps from a message to a value; "*" is any."""

    __slots__ = ()

    def covers(self, path: tuple[str, ...]) -> bool:
        """Whether a value at `path` is meant, or stands within what is meant."""
        return len(path) >= len(self) and all(step in ("*", name) for step, name in zip(self, path, strict=False))


def read_path(text: str) -> JsonPath:
    """Read a path.

    Raises: UsageError.
    """
    steps: list[str] = []
    at = 2 if text.startswith("$.") else 1 if text.startswith("$[") or text == "$" else 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            break
        steps.append(next(each for each in found.groups() if each is not None))
        at = found.end()
    if not steps or at < len(text):
        raise UsageError(f"{text!r} is no path into a message", hint="Write names with dots: params.arguments.path")
    return JsonPath(steps)
