"""A command pays only for what it uses: nothing heavy is imported before a command needs it.

Looked at from outside, in a process of its own: what the imports of a file say is in test_layers, what they
drag in is only known when they run.
"""

import json
import os
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.waiting import PATIENCE_S

_HEAVY = ("textual", "rich", "httpx", "jsonschema", "pydantic", "pygments", "platformdirs", "PIL")
_LIGHT = (
    "inspector.cli.main",
    "inspector.config.paths",
    "inspector.config.eras",
    "inspector.capture.journal",
    "inspector.session.session",
    "inspector.transports.stdio",
    "inspector.present.traffic.log",
    "inspector.forms.read_schema",
    "inspector.demo",
)
"""Modules that must not bring anything heavy with them. Those that are not written yet count for nothing."""

_FIRST_PICTURE = (
    "inspector.__main__",
    "inspector.cli.commands.open",
    "inspector.cli.interface",
    "inspector.cli.launch",
    "inspector.session.engine",
    "inspector.tui.app",
    "inspector.tui.screens.traffic.panel",
)
"""What is imported before the first picture of a server that is started."""
_NOT_YET = (
    "json",
    "inspector.auth",
    "inspector.checks",
    "inspector.forms",
    "inspector.features",
    "inspector.transports.http",
    "inspector.transports.stdio",
    "inspector.session.driver",
    "inspector.session.raw",
    "inspector.session.open",
    "inspector.session.scripted",
    "inspector.session.session",
    "inspector.tui.screens.traffic.detail",
)
"""What must not be among that, nor anything in it."""
_MOST_OF_OURS = 167
"""Modules of ours that may be among it: each takes about a sixth of a millisecond."""

_REPORT = "import json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
_HELPS = """
import click, json, os, sys
import inspector.cli.main as cli
from inspector.__main__ import main
group = next(value for value in vars(cli).values() if isinstance(value, click.Group))
loaded = {}
for words in [(), *((command,) for command in group.list_commands(click.Context(group)))]:
    end, into = os.pipe()
    if not os.fork():  # what one command imports is not there for the next one
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        done = main([*words, "--help"])
        with open(into, "w") as file:
            json.dump([done, *sorted(sys.modules)], file)
        os._exit(0)
    os.close(into)
    with open(end) as file:
        done, *loaded[" ".join(words)] = json.load(file)
    os.wait()
    assert done == 0, words
print("\\n" + json.dumps(loaded))
"""
"""Runs the help of the program and of each command, each in a copy of a process that has only started."""


def _run(code: str, *argv: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *argv]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment)
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout.strip().rpartition("\n")[2]


def _heavy_after(code: str, *argv: str) -> set[str]:
    """Run code in a fresh interpreter and return which of the heavy packages it has imported."""
    return _heavy(json.loads(_run(code + "\n" + _REPORT, *argv)))


def _heavy(modules: list[str]) -> set[str]:
    return set(_HEAVY) & {name.partition(".")[0] for name in modules}


def _exists(module: str) -> bool:
    place = ROOT / module.replace(".", "/")
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


@pytest.mark.parametrize("module", [module for module in _LIGHT if _exists(module)])
def test_a_module_that_many_import_is_light(module: str) -> None:
    assert _heavy_after(f"import {module}") == set()


def test_the_help_of_every_command_is_light() -> None:
    loaded = json.loads(_run(_HELPS))
    assert len(loaded) > 20
    assert {line: heavy for line, names in loaded.items() if (heavy := _heavy(names))} == {}


def test_the_first_picture_of_a_started_server_waits_for_nothing_that_is_needed_later() -> None:
    names = set(_run(f"import sys, {', '.join(_FIRST_PICTURE)}\nprint('\\n' + ' '.join(sys.modules))").split())
    assert names >= set(_FIRST_PICTURE)
    assert {name for name in names if any(f"{name}.".startswith(f"{late}.") for late in _NOT_YET)} == set()
    assert sum(name.partition(".")[0] == "inspector" for name in names) <= _MOST_OF_OURS


def test_something_heavy_is_found() -> None:
    assert _heavy_after("import rich.text") >= {"rich"}
    assert _heavy_after("import json") == set()
