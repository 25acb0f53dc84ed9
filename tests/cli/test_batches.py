"""Reading a batch from the command line."""

from typing import Any

import pytest

from inspector.cli.batches import read_batch
from inspector.errors import UsageError


def test_a_batch_is_methods_with_params() -> None:
    given = [{"method": "a", "params": {"x": 1}}, {"method": "b"}]
    assert read_batch(given) == (("a", {"x": 1}), ("b", None))


@pytest.mark.parametrize("given", [None, [], {}, [1], [{"method": 2}], [{"method": "a"}, {}]])
def test_what_is_no_batch_is_refused(given: Any) -> None:
    with pytest.raises(UsageError):
        read_batch(given)
