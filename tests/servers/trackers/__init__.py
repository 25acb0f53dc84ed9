"""Faults reported in issue trackers, each as a small raw server, with the cause that has to come first.

A family is a table (FAMILY.toml) and a module with those servers that are not in the table themselves (see
`written`). An entry says what its author or user sees, where such a fault was reported, and what the first finding has
to be: the ids that may name it, and words that have to be in its one sentence. `says` holds patterns, in any case;
every one of them has to be found. Servers over stdio run in a process of their own (`play.py`); servers over HTTP are
handlers that are made anew for each run.

`python -m tests.servers.trackers` prints the table.
"""

import importlib
import shlex
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.servers.trackers.written import PARTS, is_written, run_written

HERE = Path(__file__).parent
FAMILIES = (
    *("starting", "runtimes", "hosts", "framing", "lifecycle", "schemas", "calls", "strict", "http", "gateways"),
    *("logins", "accusations", "reported", "edges", "responses", "refused", "allowed", "allowed_http", "rejected"),
    *("rejected_http", "autumn", "autumn_http", "november", "november_http", "advent", "advent_http", "december"),
    *("december_http", "january", "january_http", "february", "february_http", "march", "march_http", "april"),
    *("april_http", "may", "may_http", "june", "june_http", "july", "july_http", "august", "august_http", "frames"),
    *("frames_http", "september", "september_http", "october", "october_http", "winter", "winter_http", "spring"),
    *("spring_http", "midsummer", "midsummer_http", "summer", "summer_http"),
)

Run = Callable[[], Any]
"""Over stdio: the whole server. Over HTTP: makes its handler."""


@dataclass(frozen=True)
class Fault:
    """One of them."""

    name: str
    story: str
    """What is seen from outside."""
    source: str
    """The project it was reported to, with the issue's number where that was looked up."""
    expects: tuple[str, ...]
    """Ids of findings that may come first; () if nothing but hints may be found."""
    says: tuple[str, ...]
    """Patterns for the sentence of that finding."""
    run: Run
    options: str = ""
    """What `check` is given beside; {port} is the server's."""
    words: str = "check"
    """The command that a user runs, with its options."""
    command: str = ""
    """How it is started, if the name of the program matters; {python} and {play} are filled in."""
    url: str = ""
    """Path, or a whole URL; "" of one that is started."""
    host: str = "127.0.0.1"
    """Where a server over HTTP listens."""
    exit: int | None = None
    """The exit status of `check`; None if it does not matter."""


def faults(family: str = "") -> list[tuple[str, Fault]]:
    """All of a family, or of all families, each with its full name."""
    found = []
    for each in [family] if family else FAMILIES:
        table, servers = _table(each), servers_of(each)
        assert table.keys() == servers.keys(), f"{each}: {table.keys() ^ servers.keys()}"
        for name, whole in table.items():
            entry = {key: value for key, value in whole.items() if key not in PARTS}
            expects, says = tuple(entry.pop("expects")), tuple(entry.pop("says"))
            found.append((f"{each}/{name}", Fault(name, expects=expects, says=says, run=servers[name], **entry)))
    return found


def servers_of(family: str) -> dict[str, Run]:
    """The servers of a family, by the names of their faults."""
    module = importlib.import_module(f"{__name__}.{family}") if (HERE / f"{family}.py").exists() else None
    servers: dict[str, Run] = dict(module.SERVERS if module else {})
    return servers | {name: partial(run_written, entry) for name, entry in _table(family).items() if is_written(entry)}


def _table(family: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((HERE / f"{family}.toml").read_text())


def command_of(name: str, fault: Fault) -> tuple[str, ...]:
    """How a server over stdio is started."""
    play = f"{sys.executable} -S -m {__name__}.play {name}"
    return tuple(shlex.split(fault.command.replace("{python}", sys.executable).replace("{play}", play) or play))
