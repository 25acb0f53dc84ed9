"""No text of the interface spells out a key: users can change it."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import sources

_KEY = re.compile(
    r"\^[a-z]\b|(?<![\w'])[fgvx] [a-zA-Z/] [a-z]+s\b|(?:^|[\s(;.])[A-Z\d*\[\]/] (?:shows|opens|clears|sets|searches)\b"
)
"""A key in a text: `^r`, `f c clears`, `5 opens`."""


def _literals(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings of a module except docstrings."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def test_no_text_spells_out_a_key_that_can_be_changed() -> None:
    found = [
        f"{source.path}:{node.lineno}: {node.value!r}"
        for source in sources("inspector")
        if source.path.startswith(("inspector/tui/", "inspector/present/")) and not source.path.endswith("keys.py")
        for node in _literals(source.tree)
        if _KEY.search(str(node.value))
    ]
    assert not found, "\n".join([*found, "keys.shown_key returns the user's key"])
