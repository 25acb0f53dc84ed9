"""Which modules a file imports: at its top, lazily in a function, for types only, or by importlib.

All four count. A type that a room may not import is a sign that the room knows too much.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tests.architecture.sources import Source, dotted, scopes


@dataclass(frozen=True, slots=True)
class Import:
    """One module (or a name in one) that a file asks for."""

    name: str
    """"inspector.protocol.frames.Frame" for `from inspector.protocol.frames import Frame`."""
    line: int
    lazy: bool
    """True inside a function."""

    def is_of(self, module: str) -> bool:
        return self.name == module or self.name.startswith(module + ".")

    @property
    def room(self) -> str:
        """The part of the project it belongs to ("protocol"), "" if it is not ours or the top package itself."""
        parts = self.name.split(".")
        return parts[1] if parts[0] == "inspector" and len(parts) > 1 and not parts[1].startswith("__") else ""


def imports(source: Source) -> Iterator[Import]:
    """Yield everything that a file imports."""
    for node, lazy in scopes(source.tree):
        for name in _names(node, source.package):
            yield Import(name, getattr(node, "lineno", 0), lazy)


def _names(node: ast.AST, package: str) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(module or "", package, level)
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]):
            return [name] if dotted(func).rpartition(".")[2] in ("import_module", "__import__") else []
        case _:
            return []


def _absolute(module: str, package: str, level: int) -> str:
    if not level:
        return module
    parts = package.split(".")
    base = parts[: len(parts) - level + 1]
    return ".".join([*base, module] if module else base)
