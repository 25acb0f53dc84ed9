"""The waiting helper itself: it returns when the condition holds, and fails in words when it never does."""

import pytest

from tests.waiting import until


async def test_until_returns_once_the_condition_holds() -> None:
    looks = iter([False, False, True])
    await until(lambda: next(looks), "the third look")
    assert next(looks, None) is None


async def test_until_fails_with_its_description() -> None:
    with pytest.raises(AssertionError, match="until pigs fly"):
        await until(lambda: False, "pigs fly", timeout=0)
