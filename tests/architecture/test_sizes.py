"""Files, functions and classes have a size at which they need a reason. Size is a signal, not a goal.

Related code belongs in one file: 700 lines are fine, 1,000 need an exception with its reason.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Source, read, sources

_FILE, _FUNCTION, _CLASS = 1000, 50, 40
"""Lines, lines, methods."""
_EXCEPTIONS: dict[str, tuple[int, str]] = {}
"""What it is ("inspector/x.py" or "inspector/x.py:Class.method") → its own limit, and why it has one."""


def _sizes(source: Source) -> Iterator[tuple[str, int, int]]:
    """Yield everything that has a size: its name, its size, the limit."""
    yield source.path, len(source.lines), _FILE
    yield from _within(source.path + ":", source.tree)


def _within(prefix: str, parent: ast.AST) -> Iterator[tuple[str, int, int]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, (node.end_lineno or node.lineno) - node.lineno + 1, _FUNCTION
        elif isinstance(node, ast.ClassDef):
            methods = [child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)]
            yield prefix + node.name, len(methods), _CLASS
        inner = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef | ast.FunctionDef) else prefix
        yield from _within(inner, node)


def _faults(source: Source) -> list[str]:
    return [
        f"{name} has {size}, the limit is {allowed}"
        for name, size, limit in _sizes(source)
        if size > (allowed := _EXCEPTIONS.get(name, (limit, ""))[0])
    ]


def test_nothing_is_too_long_to_be_read_at_once() -> None:
    assert not [fault for folder in ("inspector", "tests") for source in sources(folder) for fault in _faults(source)]


def test_every_exception_is_needed_and_has_its_reason() -> None:
    everything = {name: (size, limit) for source in sources("inspector") for name, size, limit in _sizes(source)}
    for name, (_, why) in _EXCEPTIONS.items():
        size, limit = everything.get(name, (0, 0))
        assert size > limit, f"{name} needs no exception any more"
        assert why


def _class(methods: int) -> str:
    return "class A:\n" + "".join(f"    def m{number}(self): ...\n" for number in range(methods))


_TOO_LONG = {
    "file": "x = 1\n" * 1001,
    "function": "def f():\n" + "    x = 1\n" * 50,
    "method": "class A:\n    async def f(self):\n" + "        x = 1\n" * 50,
    "function behind a condition": "if True:\n    def f():\n" + "        x = 1\n" * 50,
    "class": _class(41),
}
_JUST_FITS = {"file": "x = 1\n" * 1000, "function": "def f():\n" + "    x = 1\n" * 49, "class": _class(40)}


@pytest.mark.parametrize("what", _TOO_LONG)
def test_size_limits_find_long_code(what: str) -> None:
    assert len(_faults(read("inspector/a.py", _TOO_LONG[what]))) == 1


@pytest.mark.parametrize("what", _JUST_FITS)
def test_size_limits_accept_code_at_the_limit(what: str) -> None:
    assert not _faults(read("inspector/a.py", _JUST_FITS[what]))
