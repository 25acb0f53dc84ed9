"""`mcp-inspect verify` and `recover`: verify a capture; save the readable part of a damaged one."""

from pathlib import Path

import click
import msgspec

from inspector.capture.format.verify import MOST_FAULTS, CaptureState, VerifyResult, recover, verify
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.cli.progress import progress_of

_VERIFY_EXAMPLES = ("mcp-inspect verify session.mcpcap", "mcp-inspect verify session.mcpcap --json")

_SENTENCES = {
    "damaged": "The capture is damaged, modified or missing data.",
    "recording": "The capture is still being recorded; the data so far is valid.",
    "truncated": "Capture is truncated; the remaining data is valid.",
    "redacted": "The redacted copy is complete.",
    "complete": "The capture is complete and unchanged.",
}

_RECOVER_EXAMPLES = ("mcp-inspect recover torn.mcpcap -o clean.mcpcap",)
_FILE = click.Path(path_type=Path)


@documented(
    "verify",
    _VERIFY_EXAMPLES,
    "`file`, `state` (`complete`, `recording`, `truncated`, `damaged`, `redacted`), `frames`, "
    "`covered`, `complete`, `faults`, `fault_count`, `first_bad`, `partial_bytes`, `redacted`, "
    "`clean`, `recording`, `unknown`, `edited`, `newer`",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; use the exit status.")
@click.pass_obj
def verify_command(env: CliEnv, /, file: Path, json_: bool, quiet: bool) -> ExitStatus:
    """Check that a capture is complete and unchanged, by recomputing its digests.

    Exit status 0: complete, still being recorded, or a complete redacted copy. 1: truncated, damaged or modified. It
    detects loss and damage, not forgery.
    """
    output = Output(env, as_json=json_, quiet=quiet)
    with progress_of(output, "verifying") as progress:
        verdict = verify(file, progress)
    if json_:
        output.data({"file": str(file), "state": verdict.state} | msgspec.structs.asdict(verdict))
    elif not quiet:
        output.text("\n".join(_report_lines(verdict)))
    return ExitStatus.FINDINGS if verdict.state in (CaptureState.DAMAGED, CaptureState.TRUNCATED) else ExitStatus.OK


def _report_lines(verdict: VerifyResult) -> list[str]:
    lines = [_SENTENCES[verdict.state]]
    if not verdict.redacted:
        lines.append(f"Digests verified for {verdict.covered:,} of {verdict.frames:,} frames.")
    else:
        lines.append(f"Redacted copy with {verdict.frames:,} frames: the original digests cannot be verified.")
    if verdict.edited:
        lines.append(f"{verdict.edited:,} messages were edited, dropped or answered by a proxy.")
    if verdict.partial_bytes:
        lines.append(f"Partial last line: {verdict.partial_bytes:,} bytes.")
    if verdict.first_bad is not None:
        lines.append(f"First invalid line: {verdict.first_bad.line}, at byte {verdict.first_bad.byte:,}.")
    lines += [f"  {fault}" for fault in verdict.faults]
    if verdict.fault_count > MOST_FAULTS:
        lines.append(f"  and {verdict.fault_count - MOST_FAULTS:,} more")
    if verdict.unknown:
        kinds = ", ".join(f"{kind} ({count:,})" for kind, count in verdict.unknown.items())
        lines.append(f"Skipped records of unknown types: {kinds}.")
    if verdict.newer:
        lines.append("The format version is newer than mcp-inspect supports.")
    if verdict.state in (CaptureState.TRUNCATED, CaptureState.DAMAGED):
        lines.append("To save the data before the damage: mcp-inspect recover FILE -o OUT")
    return lines


@documented(
    "recover",
    _RECOVER_EXAMPLES,
    "`file`, `records`, `copied`, `not_copied`, `line`, `partial`, `complete`, `recording`",
)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, required=True, metavar="FILE", help="Write the copy to this file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def recover_command(env: CliEnv, /, file: Path, out: Path, force: bool, json_: bool) -> ExitStatus:
    """Copy the valid part of a damaged capture, up to the first line that cannot be read.

    The original is not changed.
    """
    output = Output(env, as_json=json_)
    with progress_of(output, "copying") as progress, leaving_nothing_half_made():
        done = recover(file, out, overwrite=force, tell=progress)
    if json_:
        output.data({"file": str(out)} | msgspec.structs.asdict(done))
        return ExitStatus.OK
    lines = [f"Wrote {out}: {done.records:,} records, {done.copied:,} bytes."]
    if done.line is not None:
        why = "is incomplete" if done.partial else "cannot be read"
        lines.append(f"Line {done.line:,} {why}: {done.not_copied:,} bytes from there on were not copied.")
    elif done.complete:
        lines.append("The capture is valid; the copy is identical.")
    else:
        lines.append("All lines are valid; only the end record was missing.")
    if done.recording:
        lines.append("It is still being recorded; this is the data so far.")
    output.text("\n".join(lines))
    return ExitStatus.OK
