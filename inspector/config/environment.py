"""The environment of a server process: a safe subset, requested variables, and their origins.

A server is foreign code, and the user's environment is full of keys that it does not need. By default a server
inherits only the short list that clients have agreed on. The origin of every variable is recorded, because the
reason for "it works in my shell" is most often a missing variable.
"""

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path

import msgspec

from inspector.errors import UsageError

MINIMAL = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""What the reference SDKs let a server inherit on POSIX."""

_RUNS_CODE = frozenset(Path(__file__).with_name("runs_code.txt").read_text("utf-8").split())
"""Variables that make programs run other code."""
_RUN_CODE = ("LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_COUNT")
_GIVEN = ("-e", "--env-file", "--as")
"""Origins of variables that were chosen for a server."""
_COMMANDS = ("COMMAND", "_CMD", "_PROGRAM", "_HELPER", "ASKPASS")
"""`RESTIC_PASSWORD_COMMAND` and similar variables contain a command that is run."""


class Environment(msgspec.Struct, frozen=True):
    """The complete environment of a child process."""

    values: dict[str, str]
    origins: dict[str, str]
    """By name: "minimal set", "inherited", "--as", "--env-file" or "-e", whichever set it last."""

    @property
    def given(self) -> dict[str, str]:
        """The variables that were chosen for this server."""
        return {name: value for name, value in self.values.items() if self.origins.get(name) in _GIVEN}


def can_run_code(name: str) -> bool:
    """Whether a variable of this name can make a program run other code, or load it from elsewhere.

    `LD_PRELOAD`, `NODE_OPTIONS`, `PYTHONSTARTUP` and similar variables of loaders, interpreters, shells and package
    managers.
    """
    upper = name.strip().upper()
    return upper in _RUNS_CODE or upper.startswith(_RUN_CODE) or upper.endswith(_COMMANDS)


def build_environment(
    base: Mapping[str, str],
    *,
    inherit_all: bool,
    set_: Sequence[str] = (),
    env_file: Path | None = None,
    profile: tuple[Sequence[str], Mapping[str, str]] | None = None,
) -> Environment:
    """Build a server's environment from `base` (ours) or a subset of it, then the file, then `set_`.

    `set_` has KEY=VALUE, or KEY alone to copy it from `base`. Later values win. Nothing is expanded anywhere.
    `profile`: the names that a client lets a server inherit, and the variables it sets.

    Raises: UsageError for a KEY that is missing in `base`, wrong syntax, or a file that can't be read.
    """
    inherited, set_by_client = profile or (MINIMAL, {})
    origin = "inherited" if inherit_all else "--as" if profile else "minimal set"
    names = base if inherit_all else [name for name in inherited if name in base]
    values = {name: base[name] for name in names if not _is_shell_function(base[name])}
    origins = dict.fromkeys(values, origin) | dict.fromkeys(set_by_client, "--as")
    values |= set_by_client
    chosen: dict[str, str] = {}
    for source, pairs in (("--env-file", read_env_file(env_file, base)), ("-e", _from_options(set_, base))):
        for name, value in pairs:
            chosen[name] = value
            origins[name] = source
    return Environment(values | chosen, origins)


def _is_shell_function(value: str) -> bool:
    """Whether a value is a function that Bash exported; a shell that the server starts would import it."""
    return value.startswith("()")


def _from_options(options: Sequence[str], base: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for option in options:
        name, equals, value = option.partition("=")
        _check(name, value, f"-e {name or '=…'}")
        yield name, value if equals else _copied(name, base, f"-e {name}")


def read_env_file(path: Path | None, base: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables of a file; one without a value is copied from `base`. Raises: UsageError."""
    if path is None:
        return
    from dotenv.parser import parse_stream  # most runs have no such file

    with _opened(path) as stream:
        for binding in parse_stream(stream):
            place = f"{path}, line {binding.original.line}"
            if binding.error:
                raise UsageError(
                    f"{place}: this is not KEY=VALUE",
                    hint="Quote values that have spaces, quotes or line ends in them.",
                )
            if binding.key is not None:
                _check(binding.key, binding.value or "", place)
                value = binding.value
                yield binding.key, _copied(binding.key, base, place) if value is None else value


def _opened(path: Path) -> StringIO:
    try:
        return StringIO(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text.", hint="Save it as UTF-8.") from None
    except OSError as error:
        raise UsageError(
            f"The file with the environment, {path}, can't be read: {error.strerror}.", hint="Check --env-file."
        ) from error


def _copied(name: str, base: Mapping[str, str], place: str) -> str:
    if name in base:
        return base[name]
    raise UsageError(
        f"{place}: the variable has no value, and is not set in your environment.",
        hint="Set it before, or write KEY=VALUE.",
    )


def _check(name: str, value: str, place: str) -> None:
    if not name or name != name.strip() or "\0" in name + value:
        raise UsageError(
            f"{place}: a variable needs a name without spaces around it, and no NUL.", hint="Write KEY=VALUE."
        )
