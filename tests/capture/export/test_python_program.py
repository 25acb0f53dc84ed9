"""The fixed part of an exported script is a program, of characters that every editor shows."""

import ast

from inspector.capture.export.python_program import PROGRAM


def test_it_compiles_and_needs_nothing_but_the_sdk() -> None:
    tree = ast.parse(PROGRAM)
    named = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    assert named == {"contextlib", "mcp", "mcp.client"}
    assert PROGRAM.isascii()
