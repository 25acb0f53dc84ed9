"""The signs are one cell wide and known to whoever draws them."""

from inspector.tui.styles import glyphs
from inspector.viewmodels import signs
from inspector.viewmodels.text import cell_width

_SIGNS = {name: value for name, value in vars(signs).items() if name.isupper()}


def test_every_sign_takes_one_cell() -> None:
    assert _SIGNS
    assert {cell_width(sign) for sign in _SIGNS.values()} == {1}


def test_every_sign_has_its_twin_for_terminals_without_it() -> None:
    drawn = glyphs("utf-8")
    known = {getattr(drawn, name) for name in drawn.__struct_fields__}
    assert set(_SIGNS.values()) <= known
