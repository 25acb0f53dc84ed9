"""How to run the pinned command-line agents: their configuration, their environment and their command."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

PROMPT = "Call the tools."
Servers = Mapping[str, Sequence[str]]
"""The command of each server, by its name."""


class Start(msgspec.Struct, frozen=True):
    """A command to run, with its environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}


Prepare = Callable[[Path, str, Servers], Start]
"""Writes the configuration below a folder, which is HOME and the working directory; for an endpoint and servers."""


def _write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))
    return path


def _plain(servers: Servers, **more: Any) -> dict[str, Any]:
    return {"mcpServers": {name: {"command": argv[0], "args": [*argv[1:]], **more} for name, argv in servers.items()}}


def claude_code(home: Path, url: str, servers: Servers) -> Start:
    config = _write(home / "mcp.json", _plain(servers))
    rules = ",".join(f"mcp__{name}" for name in servers)
    argv = ("claude", "-p", PROMPT, "--mcp-config", str(config), "--strict-mcp-config", "--allowedTools", rules)
    env = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "ENABLE_TOOL_SEARCH": "false",
        "MCP_CONNECTION_NONBLOCKING": "false",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    return Start(argv, env)


def codex(home: Path, url: str, servers: Servers) -> Start:
    lines = ['model = "m"', 'model_provider = "loopback"', 'approval_policy = "never"']
    lines += ["[model_providers.loopback]", 'name = "loopback"', f'base_url = "{url}/v1"', 'wire_api = "responses"']
    for name, argv in servers.items():
        lines += [f"[mcp_servers.{name}]", f"command = {json.dumps(argv[0])}", f"args = {json.dumps([*argv[1:]])}"]
        lines += ['default_tools_approval_mode = "approve"']
    _write(home / ".codex" / "config.toml", "\n".join(lines))
    return Start(("codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", PROMPT))


def gemini_cli(home: Path, url: str, servers: Servers) -> Start:
    settings = _plain(servers, trust=True) | {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    settings |= {"privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}
    _write(home / ".gemini" / "settings.json", settings)
    env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    return Start(("gemini", "-p", PROMPT, "--yolo", "-m", "gemini-2.5-flash"), env)


def opencode(home: Path, url: str, servers: Servers) -> Start:
    model = {"npm": "@ai-sdk/openai-compatible", "name": "l", "options": {"baseURL": f"{url}/v1", "apiKey": "none"}}
    config = {
        "provider": {"loopback": model | {"models": {"m": {"name": "m", "tool_call": True}}}},
        "model": "loopback/m",
        "small_model": "loopback/m",
        "autoupdate": False,
        "permission": {"*": "allow"},
        "mcp": {name: {"type": "local", "command": [*argv], "enabled": True} for name, argv in servers.items()},
    }
    _write(home / "opencode.json", config)
    return Start(("opencode", "run", PROMPT), {"OPENCODE_DISABLE_MODELS_FETCH": "1"})


def qwen_code(home: Path, url: str, servers: Servers) -> Start:
    settings = _plain(servers, trust=True) | {"security": {"auth": {"selectedType": "openai"}}}
    settings |= {"tools": {"toolSearch": {"enabled": False}}}
    _write(home / ".qwen" / "settings.json", settings)
    env = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "m"}
    return Start(("qwen", "-p", PROMPT, "--yolo", "--auth-type", "openai"), env)


def copilot_cli(home: Path, url: str, servers: Servers) -> Start:
    tools = {"type": "local", "tools": ["*"]}
    _write(home / ".copilot" / "mcp-config.json", _plain(servers, **tools))
    argv = (
        "copilot",
        "-p",
        PROMPT,
        "--allow-all-tools",
        "--disable-builtin-mcps",
        "--allow-all-mcp-server-instructions",
    )
    env = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "m", "COPILOT_PROVIDER_API_KEY": "none"}
    return Start(argv, env | {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false"})


def cline(home: Path, url: str, servers: Servers) -> Start:
    data, provider = home / ".cline" / "data" / "settings", "openai-compatible"
    listed = {name: {"transport": {"type": "stdio", **each}} for name, each in _plain(servers)["mcpServers"].items()}
    _write(data / "cline_mcp_settings.json", {"mcpServers": listed})
    model = {"provider": provider, "apiKey": "none", "model": "m", "baseUrl": f"{url}/v1"}
    entry = {"settings": model, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    chosen = {"version": 1, "lastUsedProvider": provider, "modes": {}, "providers": {provider: entry}}
    _write(data / "providers.json", chosen)
    return Start(("cline", PROMPT))


def continue_cli(home: Path, url: str, servers: Servers) -> Start:
    model: dict[str, Any] = {"name": "m", "provider": "openai", "model": "m", "apiBase": f"{url}/v1", "apiKey": "none"}
    model |= {"roles": ["chat"], "capabilities": ["tool_use"]}
    listed = [{"name": name, "command": argv[0], "args": [*argv[1:]]} for name, argv in servers.items()]
    config = {"name": "c", "version": "1.0.0", "schema": "v1", "models": [model], "mcpServers": listed}
    path = _write(home / "config.yaml", config)
    return Start(("cn", "-p", PROMPT, "--auto", "--config", str(path)), {"CONTINUE_TELEMETRY_ENABLED": "0"})
