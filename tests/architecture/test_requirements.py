"""The table of what must hold names tests that exist."""

import ast

from tests.architecture.requirements import REQUIREMENTS
from tests.architecture.sources import sources


def test_every_requirement_has_proofs_and_each_of_them_is_there() -> None:
    there = {
        f"{source.path.removeprefix('tests/')}::{node.name}"
        for source in sources("tests")
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    named = {proof for each in REQUIREMENTS for proof in each.proofs}
    assert all(each.proofs for each in REQUIREMENTS)
    assert not named - there
