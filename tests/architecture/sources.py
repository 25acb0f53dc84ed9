"""The project's own source as syntax trees: what the architecture tests look at.

Each check is a function of a `Source`, so it can be tried on a few lines that break the rule: a check that
nothing can fail is worse than none.
"""

import ast
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests import garbage

ROOT = Path(__file__).parents[2]
"""The checkout."""


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    """From the checkout, with slashes: "inspector/protocol/frames.py"."""
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """Its dotted name; a package is named without its `__init__`."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def package(self) -> str:
        """What a relative import starts from."""
        return self.module if self.path.endswith("/__init__.py") else self.module.rpartition(".")[0]

    @property
    def lines(self) -> list[str]:
        """The text, line by line; line 1 is at index 0."""
        return self.text.splitlines()


def read(path: str, text: str) -> Source:
    """Return a Source of a text; the path may be invented."""
    return Source(path, text, ast.parse(text, path))


@cache
def sources(folder: str) -> tuple[Source, ...]:
    """Return every Python file below a folder of the checkout, in order of path."""
    files = sorted((ROOT / folder).rglob("*.py"))
    gc.disable()  # millions of objects, and none of them garbage
    found = tuple(read(file.relative_to(ROOT).as_posix(), file.read_text()) for file in files)
    garbage.freeze()
    gc.enable()
    return found


def docstrings(tree: ast.Module) -> frozenset[int]:
    """Return the ids of all nodes that are strings standing alone: docstrings of modules, classes, fields."""
    alone = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return frozenset(id(value) for value in alone if isinstance(value, ast.Constant))


def dotted(node: ast.AST) -> str:
    """Return "a.b.c" for a name or a chain of attributes, "" for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            before = dotted(value)
            return f"{before}.{attr}" if before else ""
        case _:
            return ""


def scopes(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node with whether it is inside a function, where it runs only when that is called."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        yield node, inside
        within = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [(child, within) for child in ast.iter_child_nodes(node)]
