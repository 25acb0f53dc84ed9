"""Places in messages, as people write them."""

import pytest

from inspector.capture.sharing.paths import read_path
from inspector.errors import UsageError


@pytest.mark.parametrize("text", ["params.a.0", "$.params.a[0]", "$['params'].a[0]", "params.*[*]"])
def test_ways_to_write_a_path(text: str) -> None:
    path = read_path(text)
    assert path.covers(("params", "a", "0"))
    assert path.covers(("params", "a", "0", "deeper"))
    assert not path.covers(("params", "a"))


@pytest.mark.parametrize("text", ["", ".", "$", "a[", "a..b", "a[]"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no path into a message"):
        read_path(text)
