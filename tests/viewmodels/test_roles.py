"""The names of meanings."""

from typing import get_args

from inspector.viewmodels.roles import Role


def test_each_meaning_is_named_once() -> None:
    names = get_args(Role)
    assert len(names) == len(set(names)) > 20
