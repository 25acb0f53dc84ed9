"""Which servers a client itself would start: those that its user has neither disabled nor left unapproved.

Tried with `claude mcp list` of Claude Code and `codex mcp list` of Codex. Claude Code records decisions on the entries
of `.mcp.json` by name in its settings files, and believes those of a project only once the user trusts the project.
Codex reads a project's file only if the user's own file trusts the project.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.config.servers import ClientFile, read_document


def reason_to_leave_out(
    file: ClientFile, name: str, entry: Mapping[str, Any], env: Mapping[str, str], cwd: Path, *, project: bool
) -> str:
    """Return why a server must not be handed to a client; "" if it may be.

    `project`: whether the user wants the entries of the project's files. Raises: UsageError if a file can't be read.
    """
    if entry.get("enabled") is False:
        return f"disabled in {file.path}"
    if file.host == "Codex":
        why = "" if not file.is_local or _trusts_codex(env, cwd) else "this project is not trusted in Codex's own file"
    else:
        why = _reason_of_claude(file, name, env, cwd)
    return why or ("an entry of this project; --project includes it" if file.is_local and not project else "")


def _reason_of_claude(file: ClientFile, name: str, env: Mapping[str, str], cwd: Path) -> str:
    own = read_document(_home(env) / ".claude.json")
    here = _member(_member(own, "projects"), str(cwd))
    if not file.is_local:
        return "disabled in Claude Code" if name in _names(here, "disabledMcpServers") else ""
    trusted = any(
        _member(_member(own, "projects"), str(each)).get("hasTrustDialogAccepted") is True
        for each in (cwd, *cwd.parents)
    )
    user = read_document(_home(env) / ".claude/settings.json")
    projects = [read_document(cwd / ".claude" / each) for each in ("settings.json", "settings.local.json")]
    projects.append(here)
    for settings in (user, *projects):
        if name in _names(settings, "disabledMcpjsonServers") or name in _names(settings, "disabledMcpServers"):
            return "disabled in Claude Code"
    for settings in (user, *(projects if trusted else ())):
        approves_all = isinstance(settings, dict) and settings.get("enableAllProjectMcpServers") is True
        if approves_all or name in _names(settings, "enabledMcpjsonServers"):
            return ""
    return "not approved in Claude Code"


def _trusts_codex(env: Mapping[str, str], cwd: Path) -> bool:
    """Return whether the user trusts the directory, or the repository that it is in."""
    home = Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else _home(env) / ".codex"
    projects = _member(read_document(home / "config.toml"), "projects")
    return any(_member(projects, str(each)).get("trust_level") == "trusted" for each in _within_repository(cwd))


def _within_repository(cwd: Path) -> Iterator[Path]:
    """Yield the directory, and the one that holds `.git`."""
    yield cwd
    root = next((each for each in (cwd, *cwd.parents) if os.path.exists(each / ".git")), None)
    if root is not None:
        yield root


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or "/")


def _member(value: Any, name: str) -> Any:
    """Return a member that is an object, or {}."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _names(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
