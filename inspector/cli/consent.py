"""Consent to a server of a project's file: it is shown in full, and started or connected to only if the user agrees."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.cli.env import CliEnv
from inspector.cli.output import Output
from inspector.config.paths import places
from inspector.config.servers import Approvals, digest
from inspector.errors import UsageError

if TYPE_CHECKING:  # a command that names no server of a file needs none
    from inspector.config.servers import FoundServer


def approved(env: CliEnv, server: "FoundServer", given: Sequence[str]) -> "FoundServer":
    """Return a server that may be started or connected to, after asking the user if necessary.

    `given`: digests that the command line approves. Raises: UsageError if the user declines or can't be asked.
    """
    if server.approved:
        return server
    from inspector.present.spans import section_lines
    from inspector.present.start import can_open, consent_question, server_section

    own = digest(server)
    if own not in given:
        Output(env).narrate_lines(section_lines(server_section(server)))
        about = f"{server.name!r} is defined by a file of this project, {server.path}, and you have not approved it"
        if not can_open(server):
            raise UsageError(about, hint="Start it with its command after --, or connect to its URL.")
        if not (env.stdin.isatty() and env.stderr.isatty()):
            raise UsageError(about, hint=f"To approve what is shown above: --approve {own}")
        env.stderr.write(f"{consent_question(server)} [y/N] ")
        env.stderr.flush()
        if env.stdin.readline().strip().lower() not in ("y", "yes"):
            raise UsageError("not approved; nothing was started or connected to")
    return Approvals(places(env.environ).state).approve(server)
