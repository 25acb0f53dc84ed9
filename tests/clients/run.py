"""Runs one pinned client against one recording server for each case, and derives the facts from what it did."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tests.clients import agent_commands
from tests.clients.cases import CASES, FactCase, mark_of
from tests.clients.endpoint import ModelEndpoint, tools_of
from tests.clients.http_recorder import HttpRecorder
from tests.clients.pins import Pin, install_commands

_HERE = Path(__file__).parent
AGENTS: dict[str, agent_commands.Prepare] = {
    "claude-code": agent_commands.claude_code,
    "codex": agent_commands.codex,
    "gemini-cli": agent_commands.gemini_cli,
    "opencode": agent_commands.opencode,
    "qwen-code": agent_commands.qwen_code,
    "copilot-cli": agent_commands.copilot_cli,
    "cline": agent_commands.cline,
    "continue": agent_commands.continue_cli,
}
_AGENT_S, _INSTALL_S = 400.0, 1200.0
"""Maximum seconds for a run of a client, and for its installation."""


class Row(msgspec.Struct, frozen=True):
    client: str
    version: str
    date: date
    fact: str
    observed: str


class Seen(msgspec.Struct):
    """What a client did with one server."""

    tools: list[dict[str, Any]] = []
    """Name, description and schema, as the model or the program gets them."""
    text: str = ""
    """All that the model or the program got: results and instructions."""
    error: str = ""
    """Why the program got no more; "" for no error, and for an agent."""
    log: list[dict[str, Any]] = []
    """The lines of the server's log."""

    def requests(self, method: str) -> list[Any]:
        return [each["got"] for each in self.log if (each.get("got") or {}).get("method") == method]


class DidNotWork(Exception):
    """The client did not even show the plain tool."""


def install(pin: Pin, folder: Path) -> None:
    """Install a client. Raises: CalledProcessError."""
    for argv in install_commands(pin, str(folder)):
        subprocess.run(argv, check=True, timeout=_INSTALL_S, stdin=subprocess.DEVNULL)


def observe(pin: Pin, installed: Path, home: Path, today: date) -> list[Row]:
    """Return the facts that a run shows. Raises: DidNotWork."""
    servers = {f"s{at:02}": case for at, case in enumerate(CASES)}
    commands = {name: _recorder(home, name, case) for name, case in servers.items()}
    if pin.id in AGENTS and pin.id not in _DRIVERS:
        seen = _agent(pin, installed, home, commands)
    else:
        seen = _DRIVERS[pin.id if pin.id in _DRIVERS else pin.registry](pin, installed, home, commands)
    for name, each in seen.items():
        log = home / f"{name}.log"
        each.log = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    facts = [(case.fact, found) for name, case in servers.items() if (found := effect_of(case, seen[name]))]
    if ("plain", "fine") not in facts:
        raise DidNotWork(f"{pin.id}: the plain tool was not shown")
    facts = [each for each in facts if each[0] != "plain"]
    return [
        Row(pin.id, pin.version, today, *each)
        for each in (*facts, *opening_facts(seen["s00"], is_agent=pin.id in AGENTS))
    ]


def _recorder(home: Path, name: str, case: FactCase) -> tuple[str, ...]:
    served = {"pages": case.pages, "instructions": case.instructions, "result": case.result}
    (home / f"{name}.case").write_text(json.dumps(served))
    script = str(_HERE / "recorder.py")
    return (sys.executable, "-S", "-E", script, str(home / f"{name}.case"), str(home / f"{name}.log"))


def effect_of(case: FactCase, seen: Seen) -> str:
    """Return the effect of a case, as in `CompatEffect`, with a remark in brackets; "" if the run does not show it."""
    names = [tool["name"] for tool in seen.tools]
    probes = [tool for tool in seen.tools if not tool["name"].endswith("fine")]
    if case.fact == "more-pages":
        return "" if len(probes) == len(names) else "fine" if probes else "cut"
    if not probes:
        return "gone" if names else "all gone"
    if any(str(tool["schema"]).startswith("not JSON") for tool in probes):
        return "breaks"
    if len(case.pages[0]) > 2:
        return _effect_on_twins(probes)
    shown = json.dumps(probes, ensure_ascii=False) + (seen.text if case.instructions else "")
    if not all(each in shown for each in case.kept):
        if case.instructions and case.instructions[:40] not in seen.text:
            return ""  # it passes no instructions on, of any length
        is_text = case.fact.partition("=")[0] in ("description-length", "instructions-length", "schema-text-length")
        return "cut" if is_text else "changed"
    if case.added and case.added in shown:
        return "changed"
    if case.is_called:
        if not seen.requests("tools/call"):
            return "fails" if seen.error else ""
        return "fine" if mark_of(case.fact) in seen.text else "fails"
    return "fine"


def _effect_on_twins(probes: list[dict[str, Any]]) -> str:
    texts = json.dumps(probes)
    kept = [each for each in ("first", "second") if f"mark_{each}" in texts]
    if len(kept) == 2:
        names = {tool["name"] for tool in probes}
        return "fine" if len(names) < 2 or any(name.endswith("pro.be") for name in names) else "changed (both are kept)"
    return f"gone (the {kept[0]} is kept)" if kept else ""


def opening_facts(seen: Seen, *, is_agent: bool) -> Iterator[tuple[str, str]]:
    """Yield how the client opened the plain server; what a library declares depends on its program."""
    discover, initialize = seen.requests("server/discover"), seen.requests("initialize")
    if not initialize:
        return
    version = initialize[0]["params"]["protocolVersion"]
    yield "opening", f"{'server/discover, then ' if discover else ''}initialize {version}"
    declared = initialize[0]["params"]["capabilities"]
    if not is_agent:
        return
    for name in ("roots", "sampling", "elicitation"):
        yield name, "yes" if name in declared else "no"
    yield "declares", json.dumps(declared, sort_keys=True)
    answers = [each["got"] for each in seen.log if (each.get("got") or {}).get("id") == "roots-of-recorder"]
    if answers and "roots" not in declared:
        what = f"error {answers[0]['error']['code']}" if "error" in answers[0] else json.dumps(answers[0]["result"])
        yield "undeclared-roots", what


def environment(installed: Path, pin: Pin, home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without anything of the caller's but the search path."""
    path = f"{installed / pin.programs}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **more}


def run(argv: tuple[str, ...], env: Mapping[str, str], home: Path) -> str:
    """Run a command to its end, and return its stdout; its processes are ended after a limit."""
    with (home / "stderr.txt").open("ab") as errors:
        process = subprocess.Popen(  # noqa: TID251  a client is not a server's child, and gets no pipe to it
            argv,
            cwd=home,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        try:
            return process.communicate(timeout=_AGENT_S)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0].decode(errors="replace")


def _agent(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    called = "|".join(f"s{at:02}.*probe" for at, case in enumerate(CASES) if case.is_called)
    with ModelEndpoint(called) as endpoint:
        start = AGENTS[pin.id](home, endpoint.url, commands)
        run(start.argv, environment(installed, pin, home, start.env), home)
    bodies = [body for _, body in endpoint.requests]
    text = json.dumps(bodies, ensure_ascii=False)
    tools = tools_of(max(bodies, key=lambda body: len(tools_of(body)), default={}))
    return {name: Seen([tool for tool in tools if name in tool["name"]], text) for name in commands}


def _agent_alone(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    """Run an agent once for each server: it does not show which tool is whose, or does not wait for many servers."""
    seen: dict[str, Seen] = {}
    own: set[str] = set()
    for (name, argv), case in zip(commands.items(), CASES, strict=True):
        folder = home / name
        folder.mkdir()
        with ModelEndpoint(rf"{re.escape(case.probe)}$" if case.is_called else "$never") as endpoint:
            start = AGENTS[pin.id](folder, endpoint.url, {name: argv})
            run(start.argv, environment(installed, pin, folder, start.env), folder)
        bodies = [body for _, body in endpoint.requests]
        tools = tools_of(max(bodies, key=lambda body: len(tools_of(body)), default={}))
        own = own or {tool["name"] for tool in tools if not tool["name"].endswith(("fine", "probe"))}
        shown = [tool for tool in tools if tool["name"] not in own]
        seen[name] = Seen(shown, json.dumps(bodies, ensure_ascii=False))
    return seen


def _driver(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    called = {f"s{at:02}": case.probe for at, case in enumerate(CASES) if case.is_called}
    servers = {name: {"argv": argv, "call": called.get(name, "")} for name, argv in commands.items()}
    (home / "servers.json").write_text(json.dumps(servers))
    argv: tuple[str, ...]
    if pin.registry == "npm":
        argv = ("node", str(_HERE / "drivers.mjs"), pin.id, str(home / "servers.json"), str(installed))
    else:
        argv = (str(installed / "bin" / "python"), str(_HERE / "drivers.py"), pin.id, str(home / "servers.json"))
    out = run(argv, environment(installed, pin, home, {}), home).splitlines()
    reports = json.loads(out[-1]) if out else {}
    return {
        name: Seen(each["tools"], "\n".join([*each["results"], each["instructions"]]), each["error"])
        for name, each in reports.items()
    }


def _mcporter(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    config = home / "mcporter.json"
    config.write_text(
        json.dumps({"mcpServers": {name: _command(argv) for name, argv in commands.items()}, "imports": []})
    )
    env = environment(installed, pin, home, {})
    base = ("mcporter", "--config", str(config))
    seen = {}
    for name, case in zip(commands, CASES, strict=True):
        listed = _json(run((*base, "list", name, "--schema", "--json"), env, home))
        seen[name] = Seen(_listed(listed.get("tools") or []))
        if case.is_called:
            seen[name].text = run((*base, "call", f"{name}.{case.probe}", "a=x", "--output", "json"), env, home)
    return seen


def _inspector(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    env, seen = environment(installed, pin, home, {}), {}
    for (name, argv), case in zip(commands.items(), CASES, strict=True):
        config = home / f"{name}.json"
        config.write_text(json.dumps({"mcpServers": {name: _command(argv)}}))
        base = ("mcp-inspector", "--cli", "--config", str(config), "--server", name, "--method")
        listed = _json(run((*base, "tools/list"), env, home))
        seen[name] = Seen(_listed(listed.get("tools") or []))
        if case.is_called:
            seen[name].text = run((*base, "tools/call", "--tool-name", case.probe, "--tool-arg", "a=x"), env, home)
    return seen


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _command(argv: Any) -> dict[str, Any]:
    return {"command": argv[0], "args": [*argv[1:]]}


def _listed(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": tool["name"], "description": tool.get("description"), "schema": tool.get("inputSchema")}
        for tool in tools
    ]


def _bridge(pin: Pin, installed: Path, home: Path, commands: agent_commands.Servers) -> dict[str, Seen]:
    """Let a plain client list and call through a bridge from stdio to HTTP, to a server that serves the case."""
    env = environment(installed, pin, home, {})
    seen: dict[str, Seen] = {}
    for name in commands:
        with HttpRecorder(home / f"{name}.case", home / f"{name}.log") as served:
            seen[name] = _through(("mcp-remote", served.url, "--allow-http"), env, home, CASES[len(seen)])
    return seen


def _through(argv: tuple[str, ...], env: Mapping[str, str], home: Path, case: FactCase) -> Seen:
    found = Seen()
    with (home / "stderr.txt").open("ab") as errors:
        process = subprocess.Popen(  # noqa: TID251  a bridge, not a server
            argv, cwd=home, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
    assert process.stdin
    assert process.stdout

    def ask(method: str, params: dict[str, Any]) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        process.stdin.write(json.dumps(request).encode() + b"\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        for line in process.stdout:  # type: ignore[union-attr]
            if (answer := json.loads(line)).get("id") == method:
                return dict(answer.get("result") or {})
        return {}

    client = {"name": "driver", "version": "1.0.0"}
    opened = ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
    found.text = opened.get("instructions", "")
    page: dict[str, Any] = {"nextCursor": ""}
    while "nextCursor" in page:
        page = ask("tools/list", {"cursor": page["nextCursor"]} if page["nextCursor"] else {})
        found.tools += _listed(page.get("tools", []))
    if case.is_called:
        found.text += json.dumps(ask("tools/call", {"name": case.probe, "arguments": {"a": "x"}}))
    process.stdin.close()
    process.wait(30)
    return found


_DRIVERS = {
    "npm": _driver,
    "pypi": _driver,
    "mcporter": _mcporter,
    "inspector-cli": _inspector,
    "mcp-remote": _bridge,
    "continue": _agent_alone,
    "cline": _agent_alone,
}


def remove(folder: Path) -> None:
    """Remove an installation, whatever a package left in it."""
    shutil.rmtree(folder, ignore_errors=True)
