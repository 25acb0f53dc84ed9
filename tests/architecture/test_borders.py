"""Everything may be caught only at the borders: the pump, a worker, a command, the listener.

There it is logged with its traceback, so a mistake of ours is shown as one; anywhere else a broad `except`
hides mistakes as if the server had made them. Catching everything to clean up and raise again is no border.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Source, dotted, read, sources

_MOST = 9
"""How many borders there may be: four kinds, which `docs/architecture.md` lists."""
_TAP = "inspector/features/tap/"
"""A tap is part of a client's process tree: it has no log, its stderr belongs to the server, and it must not end."""
_MOST_OF_TAP = 2
_LOGS = re.compile(r"(^|[._])log(ger)?\.exception$")
_NAMED = re.compile(r"\b(boundary|border)\b")
_EVERYTHING = {"Exception", "BaseException"}


def _borders(source: Source) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node.type) and not _raises_again(node):
            yield node


def _is_broad(kind: ast.expr | None) -> bool:
    named = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(name is None or dotted(name).rpartition(".")[2] in _EVERYTHING for name in named)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _faults(source: Source) -> list[str]:
    return [
        f"{source.path}:{handler.lineno}: {what}"
        for handler in _borders(source)
        for what in _complaints(source, handler)
    ]


def _complaints(source: Source, handler: ast.ExceptHandler) -> Iterator[str]:
    if not _NAMED.search(source.lines[handler.lineno - 1].partition("#")[2]):
        yield "a broad except that does not say which boundary it is, in a comment on its line"
    calls = (dotted(node.func) for node in ast.walk(handler) if isinstance(node, ast.Call))
    if not source.path.startswith(_TAP) and not any(_LOGS.search(call) for call in calls):
        yield "a border that does not log the traceback (logger.exception)"


def test_borders_are_marked_and_log_tracebacks() -> None:
    assert not [fault for source in sources("inspector") for fault in _faults(source)]


def test_there_are_few_borders() -> None:
    found = [f"{source.path}:{border.lineno}" for source in sources("inspector") for border in _borders(source)]
    of_tap = [each for each in found if each.startswith(_TAP)]
    assert len(of_tap) <= _MOST_OF_TAP, of_tap
    assert len(found) - len(of_tap) <= _MOST, found


def test_contextlib_suppresses_nothing_broad() -> None:
    calls = (
        (source.path, node)
        for source in sources("inspector")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and dotted(node.func).endswith("suppress")
    )
    assert not [path for path, call in calls if any(dotted(arg) in _EVERYTHING for arg in call.args)]


@pytest.mark.parametrize(
    "handler",
    [
        "except Exception: pass",
        "except: pass",
        "except (OSError, BaseException): pass",
        "except Exception: logger.exception('x')",
        "except Exception:  # noqa: BLE001\n    logger.exception('x')",
        "except Exception:  # the pump's border\n    logger.error('x')",
        "except Exception as error:\n    raise ValueError from error",
    ],
)
def test_a_careless_border_is_found(handler: str) -> None:
    assert _faults(read("inspector/a.py", f"try: pass\n{handler}"))


@pytest.mark.parametrize(
    "handler",
    [
        "except OSError: pass",
        "except Exception:  # the pump's border\n    logger.exception('x')",
        "except BaseException:\n    close()\n    raise",
    ],
)
def test_a_careful_one_is_left_alone(handler: str) -> None:
    assert not _faults(read("inspector/a.py", f"try: pass\n{handler}"))
