"""Types that msgspec decodes are read when they are defined: two threads that do it at once end the process.

Since Python 3.14 annotations are evaluated when they are read: a name in one then means a member of its class first.
"""

import ast
from collections.abc import Iterator

from tests.architecture.sources import sources

_DECODING = {"decode": "type", "convert": "type", "JsonFile": "kind"}
"""Functions that take a type to decode, and the parameter, which is also the second positional one."""


def _decoded(tree: ast.Module) -> Iterator[str]:
    """Yield the names in the types that calls of a module decode."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            kinds = [each.value for each in call.keywords if each.arg == _DECODING.get(name)]
            kinds += call.args[1:2] if name in ("convert", "JsonFile") else []
            kinds += call.args[:1] if name == "decoded_as" else []
            yield from (each.id for kind in kinds for each in ast.walk(kind) if isinstance(each, ast.Name))


def _structs(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield the Structs that a module defines, and whether each is prepared."""
    for each in tree.body:
        if isinstance(each, ast.ClassDef) and any(ast.unparse(base) == "msgspec.Struct" for base in each.bases):
            yield each.name, "prepared_type" in [ast.unparse(decorator) for decorator in each.decorator_list]


def test_structs_that_are_decoded_without_a_decoder_are_prepared() -> None:
    found = sources("inspector")
    public = {name: ready for each in found for name, ready in _structs(each.tree) if not name.startswith("_")}
    decoded = [
        (source.path, name, known[name])
        for source in found
        for known in [{**public, **dict(_structs(source.tree))}]
        for name in _decoded(source.tree)
        if name in known
    ]
    assert len(decoded) >= 20, "the calls are found"
    assert not [(path, name) for path, name, is_prepared in decoded if not is_prepared]


def test_no_annotation_of_a_member_has_the_name_of_a_member() -> None:
    for each in (each for source in sources("inspector") for each in ast.walk(source.tree)):
        members = [one for one in each.body if isinstance(one, ast.AnnAssign)] if isinstance(each, ast.ClassDef) else []
        used = {name.id for one in members for name in ast.walk(one.annotation) if isinstance(name, ast.Name)}
        assert not used & {ast.unparse(one.target) for one in members}, ast.unparse(each)
