"""`mcp-inspect verify` and `recover`: verify a capture; save the readable part of a damaged one."""

from pathlib import Path

import click
import msgspec

from inspector.capture.format.verify import MOST_FAULTS, CaptureState, VerifyResult, recover, verify
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.cli.process import leaving_nothing_half_made
from inspector.cli.progress import progress_of

_VERIFY_EXAMPLES = ("mcp-inspect verify session.mcpcap", "mcp-inspect verify session.mcpcap --json")


@click.command("verify", cls=Documented, examples=_VERIFY_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing; the exit status does.")
@click.pass_obj
def verify_command(env: CliEnv, /, file: Path, json_: bool, quiet: bool) -> ExitStatus:
    """Recompute the digests of a capture and compare them with those that were taken at the wire.

    It ends with 0 if all fits (a whole capture, one that still grows, a redacted copy that is whole as a file), with 1
    if the capture was cut, damaged or changed. It finds loss and damage, not forgery.
    """
    output = Output(env, as_json=json_, quiet=quiet)
    with progress_of(output, "verifying") as progress:
        verdict = verify(file, progress)
    if json_:
        output.data({"file": str(file), "state": verdict.state} | msgspec.structs.asdict(verdict))
    elif not quiet:
        output.text("\n".join(_told(verdict)))
    return ExitStatus.FINDINGS if verdict.state in ("faulty", "cut") else ExitStatus.OK


def _told(verdict: VerifyResult) -> list[str]:
    said = [_SENTENCES[verdict.state]]
    if not verdict.redacted:
        said.append(f"{verdict.covered:,} of {verdict.frames:,} frames are vouched for by a digest taken at the wire.")
    else:
        said.append(f"It is a redacted copy with {verdict.frames:,} frames: not verifiable against the wire.")
    if verdict.edited:
        said.append(
            f"{verdict.edited:,} messages were edited, dropped or answered on the way: no evidence of the server."
        )
    if verdict.torn_bytes:
        said.append(f"The last line is torn: {verdict.torn_bytes:,} bytes without an end.")
    if verdict.first_bad is not None:
        said.append(
            f"The first line that does not fit is {verdict.first_bad.line}, at byte {verdict.first_bad.byte:,}."
        )
    said += [f"  {fault}" for fault in verdict.faults]
    if verdict.fault_count > MOST_FAULTS:
        said.append(f"  and {verdict.fault_count - MOST_FAULTS:,} more")
    if verdict.unknown:
        kinds = ", ".join(f"{kind} ({count:,})" for kind, count in verdict.unknown.items())
        said.append(f"Records of types that this program does not know, passed over: {kinds}.")
    if verdict.newer:
        said.append("Its format is newer than this program's.")
    if verdict.state in (CaptureState.CUT, CaptureState.FAULTY):
        said.append("mcp-inspect recover FILE -o OUT writes what stands before the damage.")
    return said


_SENTENCES = {
    "faulty": "The capture was damaged or changed, or parts of it were never written.",
    "growing": "The capture is still being recorded; so far all fits.",
    "cut": "The capture was not closed in good order; what is there fits.",
    "redacted": "The copy is whole as a file.",
    "whole": "The capture is whole and unchanged.",
}

_RECOVER_EXAMPLES = ("mcp-inspect recover torn.mcpcap -o clean.mcpcap",)
_FILE = click.Path(path_type=Path)


@click.command("recover", cls=Documented, examples=_RECOVER_EXAMPLES)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", "out", type=_FILE, required=True, metavar="FILE", help="Where it goes.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object to stdout.")
@click.pass_obj
def recover_command(env: CliEnv, /, file: Path, out: Path, force: bool, json_: bool) -> ExitStatus:
    """Copy a capture up to the first line that can't be read, byte by byte, and give it an end.

    The original stays as it is, and so does what stands behind the damage: it is in the original alone.
    """
    output = Output(env, as_json=json_)
    with progress_of(output, "copying") as progress, leaving_nothing_half_made():
        done = recover(file, out, overwrite=force, tell=progress)
    if json_:
        output.data({"file": str(out)} | msgspec.structs.asdict(done))
        return ExitStatus.OK
    said = [f"{done.records:,} records, {done.kept:,} bytes, are in {out}."]
    if done.line is not None:
        why = "is torn" if done.torn else "can't be read"
        said.append(f"Line {done.line:,} {why}: {done.left:,} bytes from there on are in the original alone.")
    elif done.whole:
        said.append("Nothing was wrong with it: this is the same.")
    else:
        said.append("All lines could be read; what was missing is the end.")
    if done.grows:
        said.append("It is still being recorded: this is what was there so far.")
    output.text("\n".join(said))
    return ExitStatus.OK
