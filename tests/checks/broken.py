"""A check with a mistake in it, in place of one of ours."""

from collections.abc import Iterator

import msgspec
import pytest

from inspector.checks import catalog
from inspector.checks.registry import CHECKS, Violation

assert catalog.AREAS


def break_check(monkeypatch: pytest.MonkeyPatch, id_: str) -> list[object]:
    """From now on that check finds one thing in any message and then fails; what it was asked about is in the list."""
    asked: list[object] = []

    def judge(case: object) -> Iterator[Violation]:
        asked.append(case)
        yield Violation("found before it failed")
        raise KeyError("\x1b[2Jspite")

    monkeypatch.setitem(CHECKS, id_, msgspec.structs.replace(CHECKS[id_], judge=judge, needs=0))
    return asked
