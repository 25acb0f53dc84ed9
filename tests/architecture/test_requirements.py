"""The table of what must hold names tests that exist."""

import ast

from tests.architecture.sources import ROOT

_TABLE = ROOT / "tests/architecture/requirements.txt"


def test_every_requirement_has_proofs_and_each_of_them_is_there() -> None:
    blocks = [block.splitlines() for block in _TABLE.read_text().split("\n\n") if not block.startswith("#")]
    assert len(blocks) > 20
    assert not [rule for rule, *proofs in blocks if not proofs or rule.startswith(" ")]
    named = {proof.strip() for _, *proofs in blocks for proof in proofs}
    there = {f"{path}::{name}" for path in {proof.partition("::")[0] for proof in named} for name in names_in(path)}
    assert not named - there


def names_in(path: str) -> list[str]:
    """The tests of a file below `tests/`; none if there is no such file."""
    file = ROOT / "tests" / path
    body = ast.parse(file.read_text()).body if file.is_file() else []
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
