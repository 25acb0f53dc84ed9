"""`mcp-inspect profile`: profiles of known clients, and profiles made from captured sessions."""

from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from inspector.atomic_write import write_whole
from inspector.capture.journal import Journal
from inspector.capture.messages import request_of, result_response_of
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.config.profiles import ClientProfile, OpeningRequest, client_profile, known_profiles, profile_text
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions._shape import Era
from inspector.text import visible

_EXAMPLES = (
    "mcp-inspect profile",
    "mcp-inspect profile codex",
    "mcp-inspect profile session.mcpcap -o my-client.yaml",
    "mcp-inspect list tools --as my-client.yaml -- node server.js",
)
_BEFORE = frozenset({"initialize", "server/discover", "subscriptions/listen", "ping"})
"""Requests that belong to the opening, or that occur at any time."""


@documented(
    "profile", _EXAMPLES, "the profile as in its file; without an argument `profiles`: `id`, `name`, `date`, `unknown`"
)
@click.argument("source", required=False, metavar="[CLIENT | CAPTURE]")
@click.option("-o", "--output", "out", type=click.Path(path_type=Path), metavar="FILE", help="Write the profile here.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def command(env: CliEnv, /, source: str | None, out: Path | None, *, force: bool, as_json: bool) -> ExitStatus:
    """Show how a known client opens a session, or make such a profile from a capture of a client.

    --as CLIENT or --as FILE behaves like that client: its identity, capabilities, protocol version, environment,
    opening requests, page reading and timeouts. Each fact has a source and a date. What no source documents is listed
    as unknown, and mcp-inspect keeps its own behavior there. Without an argument, all known clients are listed.
    """
    output = Output(env, as_json=as_json)
    if source is None:
        return _list(output)
    if source.endswith((".mcpcap", ".har", ".jsonl")):
        with loaded_capture(output, Path(source)) as journal:
            profile, comments = profile_of(journal, Path(source).name)
    else:
        profile, comments = client_profile(source), []
    text = profile_text(profile, comments)
    if out is not None:
        if out.exists() and not force:
            raise UsageError(f"{out} exists", hint="--force overwrites it.")
        write_whole(out, text.encode())
        output.narrate(f"wrote {out}; use it with: --as {out}")
        for each in profile.unknown:
            output.narrate(f"unknown: {each}")
    elif as_json:
        output.data(msgspec.to_builtins(profile))
    else:
        output.text(text.rstrip())
    return ExitStatus.OK


def _list(output: Output) -> ExitStatus:
    profiles = {name: client_profile(name) for name in known_profiles()}
    if output.as_json:
        listed = [
            {"id": name, "name": each.name, "date": _newest(each), "unknown": each.unknown}
            for name, each in profiles.items()
        ]
        output.data({"profiles": listed})
        return ExitStatus.OK
    for name, each in profiles.items():
        version = f"{each.protocol_version} ({each.era})"
        output.text(f"{name:12}  {each.dated:24}  {version:20}  unknown: {len(each.unknown)}")
    return ExitStatus.OK


def _newest(profile: ClientProfile) -> str | None:
    return max((each.date.isoformat() for each in profile.sources.values()), default=None)


def profile_of(journal: Journal, capture: str) -> tuple[ClientProfile, list[str]]:
    """Return the profile of the client in a capture, and comments for the top of its file.

    Raises: UsageError if the capture has no opening.
    """
    opening = journal.conversation.opening
    if opening is None or not opening.client:
        raise UsageError(
            f"{visible(capture, limit=100)} has no opening by a client", hint="Record one: mcp-inspect tap."
        )
    unknown = ["timeouts"]
    if journal.connection is None or not journal.connection.env_names:
        unknown.insert(0, "inherited environment (the usual subset is used)")
        names = None
    else:
        names = sorted(journal.connection.env_names)
    requests, doubtful = _opening_requests(journal)
    unknown += [f"whether more than the first page of {method} is read: there was one" for method in doubtful]
    name = peek.text(opening.client, "title") or peek.text(opening.client, "name") or "unnamed client"
    profile = ClientProfile(
        name=name,
        client=opening.client,
        capabilities=opening.client_capabilities,
        protocol_version=opening.offered or opening.revision.date,
        era=_era(journal, opening.era),
        environment=names,
        opening=requests,
        unknown=unknown,
    )
    when = _day(journal)
    return profile, [f"Made by mcp-inspect from {visible(capture, limit=100)}, recorded on {when}."]


def _era(journal: Journal, opened: Era) -> Literal["legacy", "modern", "auto"]:
    """Return the era that the client opens in: “auto” if it fell back after `server/discover`."""
    if opened is Era.MODERN:
        return "modern"
    tried = any(
        exchange.sender is Direction.TO_SERVER and exchange.method == "server/discover"
        for exchange in journal.conversation.exchanges
    )
    return "auto" if tried else "legacy"


def _day(journal: Journal) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(journal.started_wall_ns / 1e9).astimezone().date().isoformat()


def _opening_requests(journal: Journal) -> tuple[list[OpeningRequest], list[str]]:
    """Return the requests before the first one caused by a user or model, and the lists that had only one page."""
    found: list[OpeningRequest] = []
    doubtful: list[str] = []
    for exchange in journal.conversation.exchanges:
        if exchange.sender is not Direction.TO_SERVER or exchange.method in _BEFORE or exchange.probe:
            continue
        if exchange.method == "logging/setLevel":
            level = peek.text(_params(journal, exchange), "level") or "info"
            found.append(OpeningRequest(exchange.method, level=level))
        elif exchange.method not in KIND_OF_METHOD:
            break
        elif peek.text(_params(journal, exchange), "cursor") is None:
            page = result_response_of(journal, exchange)
            more = page is not None and peek.text(page.result, "nextCursor") is not None
            found.append(OpeningRequest(exchange.method, pages="one" if more else "all"))
            doubtful += [] if more else [exchange.method]
        else:
            doubtful = [each for each in doubtful if each != exchange.method]
            at = max((at for at, each in enumerate(found) if each.method == exchange.method), default=None)
            if at is not None:
                found[at] = OpeningRequest(exchange.method, pages="all")
    return found, list(dict.fromkeys(doubtful))


def _params(journal: Journal, exchange: Exchange) -> Any:
    asked = request_of(journal, exchange)
    return None if asked is None else asked.params
