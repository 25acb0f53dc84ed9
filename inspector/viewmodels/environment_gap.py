"""How a child's surroundings differ from the shell that somebody tried the same command in: variables, executable.

"It works in my shell" is most often a variable that isn't there. Names alone are told, never values.
"""

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from inspector.capture.journal import Journal
from inspector.config.environment import Environment
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, Section, fact
from inspector.viewmodels.post_mortem import PostMortem

_NAMED = 8
"""Variables that are told by name."""
_LIKELY = re.compile(r"KEY|TOKEN|SECRET|PASSW|URL|HOST|HOME|PATH|PYTHON|NODE|NVM|NPM|VIRTUAL_ENV|CONDA|PROXY|LANG|_DIR")
_OF_THE_SHELL = frozenset(("_", "SHLVL", "OLDPWD", "PWD", "LS_COLORS", "PS1", "COLUMNS", "LINES", "TERM", "COLORTERM"))
"""What differs from shell to shell and is no server's business."""


def with_surroundings(
    mortem: PostMortem, journal: Journal, environment: Environment | None, shell: Mapping[str, str]
) -> PostMortem:
    """The card with what is known of the child's surroundings, behind how it was started.

    `environment` is what it was given, None where that is not known; `shell` is ours, or empty for a recording.
    """
    values, origins = (None, {}) if environment is None else (environment.values, environment.origins)
    gap = environment_gap(journal, values=values, origins=origins, shell=shell)
    if not gap.facts or journal.connection is None:
        return mortem
    here = executable_facts(journal.connection.argv, is_here=bool(shell))
    sections: list[Section] = []
    for at, section in enumerate(mortem.sections):
        sections += [replace(section, facts=(*here, *section.facts)), gap] if at == 0 else [section]
    return dataclasses.replace(mortem, sections=tuple(sections))


def environment_gap(
    journal: Journal, *, values: Mapping[str, str] | None = None, origins: Mapping[str, str], shell: Mapping[str, str]
) -> Section:
    """What the child got, what it did not get that the shell has, and what is another value there.

    `values` are the child's, None where they are not known; `shell` is empty for a recording: nobody knows it then.
    Empty where no child was started.
    """
    opened = journal.connection
    if opened is None or not opened.argv:
        return Section("Environment")
    names = opened.env_names
    facts = [fact("got", _listed(names, len(names)) or "nothing")]
    given = [name for name in names if origins.get(name, "").startswith("-")]
    if given:
        facts.append(fact("given", _listed(given, len(given))))
    missing = [name for name in shell if name not in names and name not in _OF_THE_SHELL]
    if missing:
        told = _listed(_likely_first(missing, journal.stderr_tail), len(missing))
        facts.append(fact("not passed", f"of your shell's: {told}", "warning"))
    other = [name for name in names if values is not None and name in shell and shell[name] != values.get(name)]
    if other:
        facts.append(fact("other value", _listed(other, len(other)), "warning"))
    return Section("Environment", tuple(facts))


def executable_facts(argv: Sequence[str], *, is_here: bool) -> list[Fact]:
    """Which file was run, and what it is a link to. `is_here`: it was run on this machine, just now."""
    if not argv:
        return []
    real = os.path.realpath(argv[0]) if is_here and os.path.isabs(argv[0]) else argv[0]
    return [fact("executable", argv[0] if real == argv[0] else f"{argv[0]} {signs.TO_SERVER} {real}")]


def _likely_first(names: Iterable[str], stderr: Iterable[bytes]) -> list[str]:
    """Those that the last words name before those that servers tend to need, before the rest."""
    said = b"\n".join(list(stderr)[-40:])
    return sorted(names, key=lambda name: (name.encode() not in said, not _LIKELY.search(name), name))


def _listed(names: Sequence[str], count: int) -> str:
    shown = ", ".join(text.visible(name, limit=60) for name in names[:_NAMED])
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return shown + more
