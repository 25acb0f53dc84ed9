"""`--watch`: the watcher of a target, and commands that run again at each change of a file."""

from collections.abc import Sequence
from pathlib import Path

from inspector.config.targets import StdioTarget, Target
from inspector.errors import UsageError
from inspector.features.watch.globs import Glob, default_globs, read_glob, reloads_itself
from inspector.features.watch.watcher import Watcher


def watcher_for(target: Target, typed: Sequence[str]) -> Watcher:
    """A watcher of the globs as typed, or, for "", of the source files of a command. It has not begun.

    Raises: UsageError for what is not a glob, and for a URL without one.
    """
    globs: list[Glob] = [read_glob(each, Path.cwd()) for each in typed if each]
    if "" in typed:
        if not isinstance(target, StdioTarget):
            raise UsageError(
                "--watch needs a GLOB for a server that is reached by URL",
                hint="Name its source files: --watch 'src/**/*.py'.",
            )
        globs += default_globs(target.argv, Path(target.cwd))
    twice = reloads_itself(target.argv) if isinstance(target, StdioTarget) else ""
    warnings = [f"{twice} restarts the server, too: each change starts it twice. Use one of them."] if twice else []
    return Watcher(tuple(dict.fromkeys(globs)), warnings)
