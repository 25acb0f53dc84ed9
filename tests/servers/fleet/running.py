"""Installs the members one by one, runs the commands on each, and writes what they said."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from inspector.forms.arguments import smallest_valid
from tests.architecture.sources import ROOT
from tests.servers.fleet.members import HERE, Member

_INSTALL_S, _COMMAND_S, _START_S = 300, 150, 60
_HARMLESS = re.compile(
    r"^(get|list|search|read|find|echo|add|say|calc|time|convert|show|status|help|version|current|hello|greet)", re.I
)
"""Names of tools that may be called though they do not say that they only read."""


def run(path: Path, wanted: Sequence[Member]) -> None:
    """Run each member that `path` does not have yet, and add its line."""
    done = {json.loads(line)["name"] for line in path.read_text().splitlines()} if path.exists() else set()
    for member in wanted:
        if member.name in done:
            continue
        began = time.monotonic()
        found = {"name": member.name, "transport": "HTTP" if member.url else "stdio", **_member(member)}
        with path.open("a") as file:
            file.write(json.dumps(found) + "\n")
        said = found.get("failed") or {name: len(each["findings"]) for name, each in found["commands"].items()}
        print(f"{member.name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)


def _member(member: Member) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix=f"fleet-{member.slug}-", ignore_cleanup_errors=True) as directory:
        place, home = Path(directory, "place"), Path(directory, "home")
        home.mkdir()
        try:
            program = _installed(member, place)
            with _reached(member, program, home) as target:
                return _judged(target, home)
        except (subprocess.SubprocessError, OSError, LookupError, ValueError) as error:
            return {"failed": f"{error}"[-600:] + (getattr(error, "stderr", "") or "")[-600:], "commands": {}}


def _installed(member: Member, place: Path) -> list[str]:
    """Install a member; return its program."""
    if member.by_npm:
        place.mkdir()
        (place / "package.json").write_text('{"private": true, "type": "module"}\n')
        _run(
            [
                "npm",
                "install",
                "--prefix",
                str(place),
                "--no-audit",
                "--no-fund",
                "--silent",
                "--prefer-offline",
                *member.pins,
            ]
        )
    else:
        _run(["uv", "venv", "-q", "--python", sys.executable, str(place)])
        _run(["uv", "pip", "install", "-q", "--python", str(place / "bin" / "python"), *member.pins])
    if member.file:
        shutil.copytree(HERE / "programs", place, dirs_exist_ok=True)
    first, second = member.run[0], member.run[1:2]
    if first.startswith("="):
        return [str(_own_program(member, place, first[1:])), *second]
    if first == "node":
        return [first, str(place / second[0])]
    return [str(place / ("node_modules/.bin" if member.by_npm else "bin") / first), *second]


def _own_program(member: Member, place: Path, named: str) -> Path:
    if not member.by_npm:
        return place / "bin" / (named or member.pins[0].partition("==")[0])
    package = member.pins[0].rpartition("@")[0]
    own = place / "node_modules" / package
    if named and (own / named).is_file():  # a package of one platform: nothing but the program
        (own / named).chmod(0o755)
        return own / named
    bins = json.loads((own / "package.json").read_text()).get("bin", {})
    last = package.rsplit("/", 1)[-1]
    names = [last] if isinstance(bins, str) else list(bins)
    chosen = named or (last if last in names else names[0])
    return place / "node_modules" / ".bin" / chosen.rsplit("/", 1)[-1]


@contextmanager
def _reached(member: Member, program: list[str], home: Path) -> Iterator[list[str]]:
    """Yield the words that name a member to a command; one over HTTP runs meanwhile."""
    port, behind = _free_port(), _free_port()
    values = {"place": home, "port": port, "behind": behind, "python": sys.executable, "root": ROOT}

    def filled(text: str) -> str:
        for name, value in (values | {"here": HERE / "programs"}).items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    argv = [*(filled(word) for word in program), *(filled(word) for word in member.run[2:])]
    env = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
    env |= {name: filled(value) for name, value in member.env.items()}
    other = [filled(word) for word in member.beside]
    with _serving(other, behind, env, home) if other else nullcontext():
        if not member.url:
            given = [f"-e{name}={value}" for name, value in env.items()]
            yield ["--cwd", str(home), *given, "--", *argv]
            return
        with _serving(argv, port, env, home):
            yield [filled(member.url)]


@contextmanager
def _serving(argv: list[str], port: int, env: dict[str, str], cwd: Path) -> Iterator[None]:
    """Run a server for the time of the block, which begins when its port is open."""
    nothing = asyncio.subprocess.DEVNULL
    with asyncio.Runner() as runner:
        child = runner.run(
            asyncio.create_subprocess_exec(
                *("nice", "-n", "5", *argv),
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | env,
                cwd=cwd,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                start_new_session=True,
            )
        )
        try:
            until = time.monotonic() + _START_S
            while not _listens(port):
                runner.run(asyncio.sleep(0.2))
                if child.returncode is not None or time.monotonic() > until:
                    raise LookupError(f"{argv[0]} does not listen")
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            runner.run(child.wait())


def _judged(target: list[str], home: Path) -> dict[str, Any]:
    """Return what each command says of a server."""
    listed = _inspect(["list", "tools", "--json", "--timeout", "40"], target, home)
    tools = json.loads(listed.stdout).get("tools", []) if listed.stdout.startswith("{") else []
    call = _call(tools)
    commands = {"check": ["check"], "doctor": ["doctor"], "check --probe": ["check", "--probe", "--probe-for", "30"]}
    if call:
        commands["call"] = ["check", "--call", call]
    found, version = {}, ""
    for name, words in commands.items():
        ran = _inspect([*words, "--json", "--fail-on", "never", "--timeout", "40"], target, home)
        found[name] = _summary(ran)
        version = version or "".join(re.findall(r"^connected to .*, ([\d-]+) \(", ran.stderr, re.M)[:1])
    return {"tools": len(tools), "call": call, "version": version, "commands": found}


def _call(tools: list[Any]) -> str:
    """Return a call that only reads, with its smallest valid arguments; "" if there is none."""
    read_only = [each for each in tools if (each.get("annotations") or {}).get("readOnlyHint") is True]
    for tool in [*read_only, *(each for each in tools if _HARMLESS.match(each["name"]))]:
        return f"{tool['name']}={json.dumps(smallest_valid(tool['inputSchema']))}"
    return ""


def _summary(ran: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    if not ran.stdout.startswith("{"):
        return {"status": ran.returncode, "stderr": ran.stderr[-600:], "findings": []}
    data = json.loads(ran.stdout)
    kept = ("id", "severity", "sentence", "count", "fix")
    findings = [{key: each.get(key) for key in kept} for each in data["findings"] if each["severity"] != "hint"]
    hints = sorted({each["id"] for each in data["findings"] if each["severity"] == "hint"})
    return {"status": ran.returncode, "failure": data["failure"], "findings": findings, "hints": hints}


def _inspect(words: list[str], target: list[str], home: Path) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "MCP_INSPECT_HOME": str(home / ".inspect"), "PYTHONPATH": str(ROOT)}
    argv = ["nice", "-n", "5", sys.executable, "-m", "inspector", *words, *target]
    try:
        return subprocess.run(
            argv, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_COMMAND_S, env=env
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, -1, "", f"no end within {_COMMAND_S} s")


def _run(argv: list[str]) -> None:
    polite = ["nice", "-n", "5", *argv]
    subprocess.run(polite, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_INSTALL_S)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _listens(port: int) -> bool:
    for host in ("127.0.0.1", "::1"):
        with suppress(OSError), socket.create_connection((host, port), 0.2):
            return True
    return False
