"""`mcp-inspect attach`: show the traffic of a running tap from its first message on."""

import time
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import read_whole
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.config.paths import places
from inspector.config.remembered import SavedFilters
from inspector.documents import read_json
from inspector.errors import RequestTimeout, UsageError
from inspector.features.tap.client import TapClient, find
from inspector.protocol import peek

_POLL_S = 0.05
_EXAMPLES = (
    "mcp-inspect attach",
    "mcp-inspect attach github",
    "mcp-inspect attach github --until 'tool == create_issue and failed' --json",
    "mcp-inspect attach github --otlp http://127.0.0.1:4318",
    """mcp-inspect attach github --send tools/call --params '{"name": "echo"}'""",
)


@documented("attach", _EXAMPLES)
@click.argument("wanted", required=False, metavar="[ID | LABEL]")
@click.option(
    "--until", "until", metavar="FILTER", help="Print matching messages without a screen; end with the first."
)
@click.option(
    "--otlp", metavar="URL", help="Send spans to this OpenTelemetry collector until the tap ends, without a screen."
)
@click.option("--send", "method", metavar="METHOD", help="Send a request into the session and print its response.")
@click.option("--params", metavar="JSON|@FILE|-", help="With --send, the params; - reads stdin.")
@click.option(
    "--timeout", type=float, default=60.0, metavar="S", help="With --send, wait this long for the response; default 60."
)
@click.option("--json", "as_json", is_flag=True, help="With --until or --send, write the message as a JSON object.")
@click.pass_obj
def command(
    env: CliEnv,
    /,
    wanted: str | None,
    until: str | None,
    otlp: str | None,
    method: str | None,
    params: str | None,
    timeout: float,
    as_json: bool,
) -> ExitStatus:
    """Show the traffic of a running tap, and release, edit or answer held messages.

    Without ID or LABEL it opens the newest tap. Nothing is sent to the server or to the client unless you act.
    """
    if method is None and params is not None:
        raise UsageError("--params goes with --send", hint="See mcp-inspect attach --help.")
    for option, value in (("--until", until), ("--otlp", otlp)):
        if method is not None and value is not None:
            raise UsageError(f"--send and {option} are given", hint="Give one of them.")
    if otlp is not None:
        from inspector.features.export.otlp import endpoint

        endpoint(otlp)
    tap = find(wanted or "")
    if method is not None:
        output = Output(env, as_json=as_json)
        return _send(output, tap, method, read_whole(params, env.stdin, "--params") or {}, timeout)
    if not tap["capture"]:
        raise UsageError(f"this tap records nothing: {tap['trouble']}", hint="See mcp-inspect tap list.")
    if until is None and otlp is None:
        if as_json:
            raise UsageError("--json goes with --until or --send", hint="See mcp-inspect attach --help.")
        from inspector.cli import interface

        return interface.attach(env, Path(tap["capture"]), tap["socket"])
    return _follow(Output(env, as_json=as_json), Path(tap["capture"]), until, otlp)


def _send(output: Output, tap: dict[str, Any], method: str, params: Any, timeout: float) -> ExitStatus:
    """Send a request through the tap. Return status 5 for an error, 7 if there is no response in time."""
    from inspector.capture.store.load import load
    from inspector.features.tap.summary import client_meta

    if not isinstance(params, dict):
        raise UsageError("--params is not an object", hint='For example: {"name": "echo"}')
    if tap["capture"]:
        journal = load(Path(tap["capture"]))
        meta = client_meta(journal) | peek.mapping(params, "_meta")
        params = params | ({"_meta": meta} if meta else {})
        journal.close()
    client = TapClient(tap["socket"])
    try:
        client.ask("control")
        id_ = client.ask("send", method=method, params=params)["request"]
        end = time.monotonic() + timeout
        while not (found := client.ask("response", request=id_)["response"]):
            if time.monotonic() > end:
                raise RequestTimeout(f"No response to {method} within {timeout:g} s.", hint="--timeout waits longer.")
            time.sleep(_POLL_S)
    finally:
        client.close()
    output.data(read_json(found))
    return ExitStatus.TOOL_ERROR if peek.has(read_json(found), "error") else ExitStatus.OK


def _follow(output: Output, path: Path, text: str | None, otlp: str | None) -> ExitStatus:
    """Follow the capture until an entry matches, or without a filter until the tap ends, and send its spans.

    Return status 1 if there is a filter, and the tap ends first.
    """
    from inspector.capture.open import Following
    from inspector.cli.filtering import Tail, read_tail_options

    own = places(output.env.environ)
    named = SavedFilters(own.config, own.state).named()
    options = read_tail_options(text or "", (), named=named, as_jsonl=output.as_json, last=None)
    while True:
        following = Following(path)
        journal = following.journal
        tail = None if text is None else Tail(journal, output, options)
        try:
            if otlp is not None:
                from inspector.features.export.otlp import LiveExport, headers_from

                LiveExport(journal, otlp, headers_from(output.env.environ)).start()
            grows = True
            while grows:
                grows = following.follow()
                found = tail.matching() if tail is not None else ()
                if found and tail is not None:
                    tail.print_entry(found[0])
                    return ExitStatus.OK
                if grows:
                    time.sleep(_POLL_S)
        finally:
            journal.close()
            for notice in journal.notices:
                output.warn(notice)
        if following.trouble is None:
            if text is None:
                output.narrate(following.why)
                return ExitStatus.OK
            output.narrate(f"nothing matched before the tap ended: {following.why}")
            return ExitStatus.FINDINGS
        time.sleep(_POLL_S)  # with --keep, the next part of the capture is moved to this path
