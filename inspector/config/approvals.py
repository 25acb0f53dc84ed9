"""Approvals of servers that a project's files define, so that the same entry is reviewed once.

An approval covers exactly what was reviewed: the file, command or URL, directory, variables and headers. The name of
the entry does not count, and any other change needs a new approval.
"""

import hashlib
import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.config.paths import expanded, replace_file
from inspector.errors import UsageError

if TYPE_CHECKING:  # it reads the approvals of what it finds
    from inspector.config.servers import FoundServer

logger = logging.getLogger(__name__)


def digest(server: "FoundServer") -> str:
    """Return the digest of all that is started or sent, and of the file that defines it."""
    parts = (
        os.path.realpath(server.path),
        server.argv,
        server.url,
        str(expanded(server.cwd or ".").absolute()) if server.argv else "",
        server.env,
        server.headers,
    )
    # Quoted, so that "a b" and "a", "b" differ; surrogates of unusual texts are escaped, not rejected.
    return hashlib.sha256(repr(parts).encode(errors="backslashreplace")).hexdigest()[:_LENGTH]


_LENGTH = 40
"""Hexadecimal digits: enough that no two entries with one digest can be made."""


class Approvals:
    """The approvals of one user: a file for each."""

    def __init__(self, state: Path) -> None:
        """Do not access the files yet. `state`: the user's state directory."""
        self._directory = state / "approved"

    def cover(self, server: "FoundServer") -> bool:
        """Return whether exactly this server was approved earlier."""
        return os.path.isfile(self._path(server))

    def approve(self, server: "FoundServer") -> "FoundServer":
        """Return the server as approved, and store that; if it can't be stored, the user is asked again next time."""
        about = f"{server.name!r} of {str(server.path)!r}\n"
        try:
            replace_file(self._path(server), about.encode(errors="backslashreplace"))
        except (OSError, UsageError) as error:
            logger.warning("cannot remember the approval of a server: %s", error)
        return replace(server, approved=True)

    def _path(self, server: "FoundServer") -> Path:
        return self._directory / f"{digest(server)}.json"
