"""The table of what must hold names tests that exist."""

import ast

from tests.architecture.requirements import REQUIREMENTS
from tests.architecture.sources import ROOT


def test_every_requirement_has_proofs_and_each_of_them_is_there() -> None:
    assert all(each.proofs for each in REQUIREMENTS)
    named = {proof for each in REQUIREMENTS for proof in each.proofs}
    there = {f"{path}::{name}" for path in {proof.partition("::")[0] for proof in named} for name in names_in(path)}
    assert not named - there


def names_in(path: str) -> list[str]:
    """The tests of a file below `tests/`; none if there is no such file."""
    file = ROOT / "tests" / path
    body = ast.parse(file.read_text()).body if file.is_file() else []
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
