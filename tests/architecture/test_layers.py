"""Rooms import downwards only, and each stays away from what its purpose forbids.

The picture is in docs/architecture.md. imports.py says what counts as an import: lazy ones and those for types too.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.architecture.imports import Import, imports
from tests.architecture.sources import Source, dotted, read, sources

FLOORS = (
    ("errors", "documents", "json_pointer"),
    ("text", "atomic_write", "giving_way"),
    ("json_file",),
    ("protocol", "forms"),
    ("transports", "capture", "checks", "config"),
    ("filters",),
    ("auth", "sampler"),
    ("session",),
    ("present",),
    ("features", "demo"),
    ("tui", "serve"),
    ("cli",),
)
_FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
_TOP = len(FLOORS)

_CLOCK_AND_CHANCE = frozenset({"asyncio", "threading", "time", "random", "secrets"})
_OUTSIDE = frozenset({"os", "pathlib", "socket", "subprocess", "logging", "httpx"})
_PURE = _CLOCK_AND_CHANCE | _OUTSIDE
_SCREEN = frozenset({"textual", "rich"})


@dataclass(frozen=True, slots=True)
class Rule:
    """What a room may not import, beside what the order of the floors says."""

    forbidden: frozenset[str]
    why: str


_RULES = {
    "errors": Rule(_PURE | _SCREEN | {"jsonschema"}, "everybody imports it"),
    "documents": Rule(_PURE | _SCREEN | {"jsonschema"}, "every room may read a document"),
    "json_pointer": Rule(_PURE | _SCREEN | {"jsonschema"}, "it only reads and writes a text"),
    "text": Rule(
        (_PURE - {"time"}) | _SCREEN | {"jsonschema"}, "every room shows foreign text"
    ),  # time of day, by zone
    "atomic_write": Rule(_SCREEN | _CLOCK_AND_CHANCE | {"jsonschema"}, "it only writes files"),
    "giving_way": Rule(_SCREEN | {"jsonschema"}, "it only pauses"),
    "json_file": Rule(_SCREEN | _CLOCK_AND_CHANCE | {"jsonschema"}, "it only reads and writes files"),
    "protocol": Rule(_PURE | _SCREEN | {"jsonschema"}, "a fold of frames must be repeatable"),
    "forms": Rule(_PURE | _SCREEN | {"jsonschema"}, "command line and dialogs both use it"),
    "checks": Rule(_SCREEN | {"asyncio", "httpx"}, "tested without a loop or a terminal"),
    "capture": Rule(_SCREEN | {"asyncio", "httpx"}, "tested without a loop or a terminal"),
    "config": Rule(_SCREEN | {"asyncio", "httpx"}, "tested without a loop or a terminal"),
    "filters": Rule(_SCREEN | {"asyncio", "httpx"}, "tested without a loop or a terminal"),
    "present": Rule(_SCREEN | {"asyncio", "httpx", "inspector.session"}, "it shows, it never acts"),
    "transports": Rule(_SCREEN | {"jsonschema", "json", "msgspec.json"}, "it carries, it does not interpret"),
    "auth": Rule(_SCREEN | {"jsonschema"}, "it must work without a terminal"),
    "sampler": Rule(_SCREEN | {"jsonschema", "subprocess"}, "it must work without a terminal"),
    "session": Rule(_SCREEN | {"httpx", "subprocess"}, "transports do that"),
    "features": Rule(_SCREEN, "it must run headless for days"),
    "demo": Rule(_SCREEN | {"httpx"}, "it is a second opinion and shares nothing with the client"),
    "tui": Rule(frozenset({"httpx", "subprocess", "json", "msgspec.json"}), "it asks the session, shows plain data"),
    "serve": Rule(_SCREEN | {"httpx", "subprocess"}, "its client is a program; the session talks to servers"),
    "cli": Rule(frozenset({"textual"}), "headless commands must not pay for the interface"),
}
_ALLOWED = {("inspector/forms/validate.py", "jsonschema"): "the one place that judges a value by its schema"}
_DEMO_MAY = ("inspector.demo", "inspector.transports.http.listener", "inspector.__version__")
_NO_WAITING = ("errors", "protocol", "forms")


def _room(source: Source) -> str:
    """Return the room of a file; "" for what is above all rooms (`__main__` and the package itself)."""
    name = source.module.split(".")[1:2]
    return name[0] if name and not name[0].startswith("__") else ""


def _faults(source: Source) -> list[str]:
    found = [*_wrong_floor(source), *_forbidden(source), *_impure(source)]
    return [f"{source.path}:{line}: {what}" for line, what in found]


def _wrong_floor(source: Source) -> Iterator[tuple[int, str]]:
    room = _room(source)
    for wanted in imports(source):
        if not wanted.room or wanted.room == room:
            continue
        if wanted.room not in _FLOOR:
            yield wanted.line, f"{wanted.name}: {wanted.room} stands on no floor"
        elif _FLOOR[wanted.room] >= _FLOOR.get(room, _TOP):
            yield wanted.line, f"{room} must not import {wanted.name}: rooms import downwards only"
        elif room in ("", "cli") and wanted.room == "tui" and not wanted.lazy:
            yield wanted.line, f"{wanted.name}: only in the function that opens the interface"


def _rule(source: Source) -> Rule | None:
    """Return the rule of a file: a screen's model obeys what holds for `present`, not what holds for widgets."""
    is_model = source.path.startswith("inspector/tui/") and source.path.endswith("model.py")
    return _RULES["present" if is_model else _room(source)] if _room(source) in _RULES else None


def _forbidden(source: Source) -> Iterator[tuple[int, str]]:
    rule = _rule(source)
    for wanted in [*imports(source), *_used(source)]:
        for module in rule.forbidden if rule else ():
            if wanted.is_of(module) and (source.path, module) not in _ALLOWED:
                yield wanted.line, f"{_room(source)} must not use {wanted.name}: {rule.why if rule else ''}"
        if _room(source) == "demo" and wanted.is_of("inspector") and not any(map(wanted.is_of, _DEMO_MAY)):
            yield wanted.line, f"demo must not import {wanted.name}: it shares nothing with the client"


def _used(source: Source) -> Iterator[Import]:
    """Yield modules that are reached as an attribute of their package: `msgspec.json.decode`."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and dotted(node) == "msgspec.json":
            yield Import("msgspec.json", node.lineno, lazy=False)


def _impure(source: Source) -> Iterator[tuple[int, str]]:
    if _room(source) not in _NO_WAITING:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield node.lineno, f"{_room(source)} waits for nothing"
        if isinstance(node, ast.Call) and dotted(node.func) in ("open", "print", "input"):
            yield node.lineno, f"{_room(source)} touches nothing outside: {dotted(node.func)}()"


def test_rooms_import_downwards_only_and_nothing_that_is_forbidden_to_them() -> None:
    assert not [fault for source in sources("inspector") for fault in _faults(source)]


def test_every_room_has_a_floor_and_a_rule() -> None:
    rooms = {_room(source) for source in sources("inspector")} - {""}
    assert len(rooms) > 5
    assert rooms <= set(_FLOOR)
    assert set(_RULES) == set(_FLOOR)


def test_every_exception_is_needed() -> None:
    for path, module in _ALLOWED:
        for source in sources("inspector"):
            if source.path == path:
                assert any(wanted.is_of(module) for wanted in imports(source)), f"{path} no longer needs {module}"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("inspector/protocol/a.py", "import asyncio"),
        ("inspector/protocol/a.py", "def f():\n    from time import monotonic"),
        ("inspector/protocol/a.py", "async def f(): ..."),
        ("inspector/protocol/a.py", "open('x')"),
        ("inspector/protocol/a.py", "from inspector.session.session import Session"),
        ("inspector/protocol/a.py", "from inspector.forms import fields"),
        ("inspector/protocol/a.py", "from ..transports import base"),
        ("inspector/protocol/tracking/a.py", "from ... import cli"),
        ("inspector/protocol/__init__.py", "from ..tui import app"),
        ("inspector/forms/a.py", "import jsonschema"),
        ("inspector/capture/a.py", "if TYPE_CHECKING:\n    from inspector.transports.base import Observer"),
        ("inspector/checks/a.py", "importlib.import_module('httpx._client')"),
        ("inspector/transports/a.py", "import msgspec\nmsgspec.json.decode(b'')"),
        ("inspector/transports/a.py", "from msgspec import json"),
        ("inspector/present/a.py", "from inspector.session.session import Session"),
        ("inspector/present/a.py", "from inspector import demo"),
        ("inspector/demo/a.py", "from inspector.protocol.frames import Frame"),
        ("inspector/demo/a.py", "from inspector.transports.http.endpoint import Endpoint"),
        ("inspector/session/a.py", "import httpx"),
        ("inspector/tui/a.py", "import json"),
        ("inspector/tui/a.py", "from inspector.cli import output"),
        ("inspector/cli/a.py", "from inspector.tui.app import App"),
        ("inspector/cli/a.py", "def f():\n    import textual.app"),
        ("inspector/__main__.py", "from inspector.tui.app import App"),
        ("inspector/attic/a.py", "from inspector.lumber import room"),
    ],
)
def test_a_wrong_import_is_found(path: str, text: str) -> None:
    assert _faults(read(path, text))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("inspector/protocol/a.py", "from inspector.errors import InspectError\nfrom . import frames"),
        ("inspector/forms/validate.py", "import jsonschema"),
        ("inspector/transports/a.py", "import msgspec\nfrom inspector import __version__"),
        ("inspector/demo/a.py", "from inspector.transports.http.listener import Listener"),
        ("inspector/cli/a.py", "def f():\n    from inspector.tui.app import App"),
        ("inspector/__main__.py", "from inspector.cli.main import main"),
    ],
)
def test_a_right_import_is_left_alone(path: str, text: str) -> None:
    assert not _faults(read(path, text))
