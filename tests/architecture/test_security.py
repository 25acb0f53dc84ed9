"""What the source must not do, wherever a server's words might lead: shells, browsers, ports, files, odd parsers."""

import ast
import re
from collections.abc import Callable, Iterator

import pytest

from tests.architecture.sources import Source, docstrings, dotted, read, sources

_STARTS = {
    "inspector/transports/children.py",
    "inspector/config/programs.py",
    "inspector/cli/commands/tap.py",
    "inspector/features/tap/keeping.py",
}
_BECOMES_ANOTHER = {
    "inspector/cli/commands/tap.py",
    "inspector/features/tap/__main__.py",
    "inspector/features/tap/processes.py",
}
"""The tap replaces its process by the server's where it cannot tap, and `tap run` is the client's parent."""
_OPENS_BROWSERS = {"inspector/auth/addresses.py", "inspector/tui/screens/inbox/server_request.py"}
_LISTENS = {
    "inspector/transports/http/listener.py",
    "inspector/serve/http.py",  # hands its socket on 127.0.0.1 to the server of the official SDK
}
_HAS_LISTENERS = {
    "inspector/auth/guide.py",
    "inspector/demo/http.py",
    "inspector/features/apps/site.py",
    "inspector/features/mock/http.py",
    "inspector/features/tap/http.py",
}
_HAS_CLIENTS = {
    "inspector/transports/http/client.py",
    "inspector/features/export/otlp.py",  # to the collector that --otlp or --send names
}
_ACTING_READERS = {"pickle", "marshal", "shelve", "zipfile", "tarfile", "runpy", "code"}
_RUNS = {"eval", "exec", "os.system", "os.popen", "os.execv", "os.execve", "os.execvp", "os.spawnv", "os.startfile"}
_LISTENING = {"start_server", "create_server", "start_unix_server", "create_unix_server", "serve_forever"}
_WRITING = re.compile(r"[wax+]")
_CALLED_SAFE = re.compile(r"(?i)\b(is|are|looks|seems) (safe|secure|harmless|trusted)\b|no (danger|risk)")
_DENIES = re.compile(r"(?i)\bnot\b[^.]*\b(safe|secure|harmless|trusted)\b")


def _calls(source: Source) -> Iterator[tuple[ast.Call, str]]:
    return ((node, dotted(node.func)) for node in ast.walk(source.tree) if isinstance(node, ast.Call))


def _imports(source: Source) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            found |= {each.name.split(".")[0] for each in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def _starts(source: Source) -> Iterator[str]:
    if "subprocess" in _imports(source) and source.path not in _STARTS:
        yield "starts a child itself"
    for call, name in _calls(source):
        if source.path in _BECOMES_ANOTHER and name.startswith("os.exec"):
            continue
        if name in _RUNS or name.endswith(("create_subprocess_shell", "create_subprocess_exec")):
            yield f"runs something: {name}"
        shells = [each.value for each in call.keywords if each.arg == "shell" and name.startswith("subprocess")]
        if any(not (isinstance(value, ast.Constant) and value.value is False) for value in shells):
            yield "by a shell"


def _browsers(source: Source) -> Iterator[str]:
    if "webbrowser" in _imports(source) and source.path not in _OPENS_BROWSERS:
        yield "opens a browser itself"


def _ports(source: Source) -> Iterator[str]:
    for _, name in _calls(source):
        last = name.rpartition(".")[2]
        if last in _LISTENING and source.path not in _LISTENS:
            yield f"listens itself: {name}"
        if last == "Listener" and "http.listener" in source.text and source.path not in _HAS_LISTENERS:
            yield "listens, and nobody asked for it"


def _clients(source: Source) -> Iterator[str]:
    for _, name in _calls(source):
        if name in ("httpx.AsyncClient", "httpx.Client", "httpx.get", "httpx.post") and source.path not in _HAS_CLIENTS:
            yield f"talks to somebody by itself: {name}"
    if {"urllib3", "requests", "aiohttp", "ftplib", "smtplib"} & _imports(source):
        yield "has a client of its own"


def _readers(source: Source) -> Iterator[str]:
    if found := _ACTING_READERS & _imports(source):
        yield f"can read what acts: {found}"
    for call, name in _calls(source):
        if name in ("yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load") and "Safe" not in ast.unparse(
            call
        ):
            yield f"reads objects out of YAML: {name}"


def _files(source: Source) -> Iterator[str]:
    for call, name in _calls(source):
        last = name.rpartition(".")[2]
        if last in ("write_text", "write_bytes") and name != "formatter.write_text":  # click's, into memory
            yield f"makes a file with the rights of the day: {ast.unparse(call)}"
        mode = ast.unparse(call.args[-1]).strip("'\"") if call.args and last == "open" else ""
        is_descriptor = name in ("os.open", "os.fdopen") or (
            name == "open" and ast.unparse(call.args[0]) in ("made", "fd")
        )
        if last == "open" and not is_descriptor and re.fullmatch(r"[rwaxbt+]{1,3}", mode) and _WRITING.search(mode):
            yield f"makes a file with the rights of the day: {ast.unparse(call)}"
        if name == "os.open" and ("O_CREAT" in ast.unparse(call) or "flags" in ast.unparse(call)):
            if "O_NOFOLLOW" not in source.text or "384" not in ast.unparse(call):
                yield f"a file that others can read, or that a link leads to: {ast.unparse(call)}"


def _words(source: Source) -> Iterator[str]:
    apart = docstrings(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            if _CALLED_SAFE.search(node.value) and not _DENIES.search(node.value):
                yield f"calls something safe: {node.value}"


def _faults(rule: Callable[[Source], Iterator[str]]) -> list[str]:
    return [f"{source.path}: {what}" for source in sources("inspector") for what in rule(source)]


def test_children_are_started_in_few_places_and_never_by_a_shell() -> None:
    assert not _faults(_starts)


def test_browsers_are_opened_in_two_places() -> None:
    assert not _faults(_browsers)


def test_only_one_file_listens() -> None:
    assert not _faults(_ports)


def test_http_clients_are_made_only_in_allowed_modules() -> None:
    assert not _faults(_clients)


def test_nothing_is_read_that_could_act() -> None:
    assert not _faults(_readers)


def test_files_are_made_private_and_never_through_a_link() -> None:
    assert not _faults(_files)


def test_nothing_is_called_safe() -> None:
    assert not _faults(_words)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (_starts, "import subprocess"),
        (_starts, "import os\nos.system(x)"),
        (_starts, "eval(x)"),
        (_starts, "import asyncio\nasyncio.create_subprocess_exec(x)"),
        (_browsers, "from webbrowser import open"),
        (_ports, "asyncio.start_server(f, 'localhost', 1)"),
        (_ports, "from inspector.transports.http.listener import Listener\nListener(f)"),
        (_clients, "httpx.AsyncClient()"),
        (_clients, "import requests"),
        (_readers, "import pickle"),
        (_readers, "yaml.load(text, Loader=yaml.Loader)"),
        (_files, "path.write_text(x)"),
        (_files, "open(path, 'wb')"),
        (_files, "path.open('a')"),
        (_files, "os.open(path, os.O_CREAT, 0o644)"),
        (_files, "os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)"),
        (_words, "print('this server is safe')"),
    ],
)
def test_security_rule_finds_violation(rule: Callable[[Source], Iterator[str]], text: str) -> None:
    assert list(rule(read("inspector/a.py", text)))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (_files, "path.open('rb')"),
        (_files, "os.open(path, os.O_CREAT | os.O_NOFOLLOW, 0o600)"),
        (_files, "os.fdopen(fd, 'wb')"),
        (_readers, "yaml.load(text, Loader=yaml.SafeLoader)"),
        (_words, "print('its certificate is not trusted')"),
    ],
)
def test_security_rule_accepts_allowed_code(rule: Callable[[Source], Iterator[str]], text: str) -> None:
    assert not list(rule(read("inspector/a.py", text)))
