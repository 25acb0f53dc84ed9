"""What every test gets: a home of its own, no network beyond this machine, and nothing left running behind it."""

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import settings

from inspector.capture.journal import Journal
from tests import garbage, settling
from tests.children import alive_since, end, pids
from tests.directories import HOME, Directories
from tests.present.tape import Tape
from tests.quick_run import is_quick
from tests.servers.real import NotInstalled, argv, is_ci, reason_to_skip
from tests.waiting import PATIENCE_S

settings.register_profile("here", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.register_profile("thorough", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if is_ci() else "here"))

# A shell that starts a job in the background has it ignore SIGINT, and every child inherits that. Tests that press
# Ctrl+C need the usual meaning.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # so does nohup, and processes inherit it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Hundreds of tests start an interpreter, and each would compile the whole program again. `__pycache__` is not in git.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settling.install()
garbage.install()
gc.disable()  # until all tests are collected: what that makes stays
os.environ.setdefault("PYTEST_TIMEOUT", f"{5 * PATIENCE_S:.0f}")  # a whole test may wait several times

TESTS = Path(__file__).parent
_LONGEST_NAME = 100
"""Characters of a text that are part of the name of a parametrized test."""
_HAS_FAILED = pytest.StashKey[bool]()
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """How many workers `-n auto` starts: two more than processors, as at each time tests wait for a server."""
    return (os.cpu_count() or 1) + 2


def _is_quick(item: pytest.Item) -> bool:
    return is_quick(str(item.path.relative_to(TESTS))) and item.get_closest_marker("real") is None


def pytest_addoption(parser: pytest.Parser) -> None:
    which = {"choices": ("quick", "rest", "whole"), "default": "quick"}
    parser.addoption("--run", **which, help="the quick tests (tests/quick_run.py), the rest of them, or all")


def pytest_configure(config: pytest.Config) -> None:
    """Run all of what is named on the command line; workers get the same command line."""
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        config.option.run = "whole"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the files alone that have no test to run: to import them all takes each worker half a minute."""
    if config.option.run == "whole" or not collection_path.match("test_*.py"):
        return None
    quick = is_quick(str(collection_path.relative_to(TESTS)))
    if config.option.run == "quick":
        return None if quick else True
    return True if quick and "mark.real" not in collection_path.read_text() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests, and skip those on real servers where they are not installed; in CI that is a failure."""
    if config.option.run != "whole":
        wanted = config.option.run == "quick"
        config.hook.pytest_deselected(items=[item for item in items if _is_quick(item) is not wanted])
        items[:] = [item for item in items if _is_quick(item) is wanted]
    reason = reason_to_skip()
    if reason:
        for item in items:
            if item.get_closest_marker("real"):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a case after the beginning of a long text: each worker sends all names, and some texts have a megabyte."""
    if isinstance(val, (str, bytes)) and len(val) > _LONGEST_NAME:
        return f"{val[:_LONGEST_NAME]!a}..."
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember which test has failed: its directory stays."""
    report = yield
    if report.failed:
        item.stash[_HAS_FAILED] = True
    return report


@pytest.fixture(scope="session")
def _directories(tmp_path_factory: pytest.TempPathFactory) -> Directories:
    return Directories(tmp_path_factory.mktemp("tests"))


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, _directories: Directories) -> Iterator[Path]:
    """A directory of this test's own, as pytest's fixture of this name, with `home` in it."""
    place = _directories.make(request.node.name)
    yield place
    if _HAS_FAILED not in request.node.stash:
        _directories.take_back(place)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The directory that HOME names during this test; nothing is in it."""
    return tmp_path / HOME


@pytest.fixture(autouse=True)
def _isolated(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither read nor write what belongs to the person who runs the tests."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "mcp-inspect"))
    for name in os.environ:
        ours = name.startswith("MCP_INSPECT_") and name != "MCP_INSPECT_HOME"
        if ours or name.startswith("XDG_") or name.upper() in _PROXIES:
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


def _is_far(family: int, address: object) -> bool:
    if family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
        return False
    return not _is_near(address[0])


def _is_near(host: object) -> bool:
    text = host.decode() if isinstance(host, bytes) else host
    if text is None or not isinstance(text, str):
        return text is None
    return text in ("", "localhost", "::1", "0.0.0.0", "::") or text.startswith("127.")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every address but this machine's, and fail the test even if the code swallowed the refusal."""
    tried: list[object] = []
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse(address: object) -> None:
        tried.append(address)
        raise OSError(f"tests have no network, and {address!r} is beyond this machine")

    def near_connect(self: socket.socket, address: object) -> None:
        if _is_far(self.family, address):
            refuse(address)
        connect(self, address)  # type: ignore[arg-type]

    def near_connect_ex(self: socket.socket, address: object) -> int:
        if _is_far(self.family, address):
            refuse(address)
        return connect_ex(self, address)  # type: ignore[arg-type]

    def near_look_up(host: object, *args: object, **kwargs: object) -> object:
        if not _is_near(host):
            refuse(host)
        return look_up(host, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", near_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", near_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", near_look_up)
    yield
    assert not tried, f"the test reached beyond this machine: {tried}"


def pytest_collection_finish() -> None:
    """Never look through modules and tests for garbage again: they stay."""
    gc.collect()
    garbage.freeze()
    gc.enable()


@pytest.fixture
def freezes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """During this test, what freezes the objects of the process does so."""
    monkeypatch.setattr(gc, "freeze", garbage.freeze)
    yield
    gc.unfreeze()
    gc.collect()
    garbage.freeze()


@pytest.fixture(autouse=True)
def _rubbish_goes() -> Iterator[None]:
    """Collect what apps leave behind, now and then."""
    yield
    garbage.tidy()


@pytest.fixture(autouse=True)
def _nothing_left_running(_isolated: None, home: Path) -> Iterator[None]:
    """Fail a test that leaves a process alive: a child of ours, or any process that has this test's HOME."""
    before = pids()
    yield
    left = end(alive_since(before, home))
    assert not left, "the test left processes alive: " + "; ".join(left)


@pytest.fixture(autouse=True)
def _journals_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the journals that a test has made: each has an open file, and a thread if it records."""
    made: WeakSet[Journal] = WeakSet()  # one that a test lets go is to be gone
    make = Journal.__init__

    def note(self: Journal, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        made.add(self)

    monkeypatch.setattr(Journal, "__init__", note)
    yield
    for journal in list(made):
        journal.close()


@pytest.fixture
def real_server() -> Callable[[str], tuple[str, ...]]:
    """Give `real_server("everything")`: the argv that runs that server over stdio.

    For Python servers (`real_server("mcp1")`) it is the interpreter that has the package. A missing server
    skips the test, but fails it in CI.
    """

    def find(name: str) -> tuple[str, ...]:
        try:
            return argv(name)
        except NotInstalled as error:
            if is_ci():
                pytest.fail(str(error))
            pytest.skip(str(error))

    return find


@pytest.fixture
def tape() -> Tape:
    """An empty journal on stdio."""
    return Tape()


@pytest.fixture
def http_tape() -> Tape:
    """An empty journal over HTTP."""
    return Tape(http=True)
