"""An exception class exists only if code distinguishes it: an `except`, or the table of exit codes."""

import ast

from tests.architecture.sources import Source, dotted, read, sources

_ROOT_OF_THE_TREE = "InspectError"


def _classes(errors: Source) -> set[str]:
    return {node.name for node in errors.tree.body if isinstance(node, ast.ClassDef)}


def _caught(source: Source) -> set[str]:
    kinds = (node.type for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler) and node.type)
    names = (node for kind in kinds for node in ast.walk(kind))
    return {dotted(name).rpartition(".")[2] for name in names} - {""}


def _named(source: Source) -> set[str]:
    return {dotted(node).rpartition(".")[2] for node in ast.walk(source.tree)} - {""}


def _useless(errors: Source, others: list[Source]) -> set[str]:
    told_apart: set[str] = set()
    for source in others:
        told_apart |= _named(source) if source.path == "inspector/cli/exit_status.py" else _caught(source)
    return _classes(errors) - told_apart


def test_error_classes_are_each_distinguished_somewhere() -> None:
    everything = sources("inspector")
    errors = next(source for source in everything if source.path == "inspector/errors.py")
    assert _useless(errors, [source for source in everything if source is not errors]) == set()


def test_error_classes_are_all_in_the_module_docstring() -> None:
    errors = next(source for source in sources("inspector") if source.path == "inspector/errors.py")
    picture = ast.get_docstring(errors.tree) or ""
    assert {name for name in _classes(errors) if name not in picture} == set()


def test_every_error_descends_from_one() -> None:
    errors = next(source for source in sources("inspector") if source.path == "inspector/errors.py")
    bases = {
        node.name: [dotted(base) for base in node.bases] for node in errors.tree.body if isinstance(node, ast.ClassDef)
    }
    assert bases.pop(_ROOT_OF_THE_TREE) == ["Exception"]
    assert all(base in {_ROOT_OF_THE_TREE, *bases} for names in bases.values() for base in names)


def test_unused_error_class_is_found() -> None:
    errors = read("inspector/errors.py", "class A(Exception): ...\nclass B(A): ...\nclass C(A): ...")
    catches = read("inspector/x.py", "try: pass\nexcept (errors.A, OSError): raise C from None")
    exits = read("inspector/cli/exit_status.py", "CODES = {C: 4}")
    assert _useless(errors, [catches]) == {"B", "C"}
    assert _useless(errors, [catches, exits]) == {"B"}
