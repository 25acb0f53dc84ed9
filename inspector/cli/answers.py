"""What the command line says about a server's questions: which are offered an answer, and what the answers are.

Nothing is offered that nobody could answer. With a person at the screen that is everything; without one it is what
was prepared: the roots that were named, and the kinds that a file of answers knows.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click
import msgspec

from inspector.cli.help import shared
from inspector.cli.sampler import read_model, sampler_options
from inspector.config.paths import expanded
from inspector.errors import UsageError
from inspector.protocol import offers
from inspector.protocol.questions import Kind, Root
from inspector.sampler.choice import ModelChoice

if TYPE_CHECKING:  # few runs have prepared answers
    from inspector.session.desk import Policy
    from inspector.session.scripted import Prepared

F = TypeVar("F", bound=Callable[..., Any])

EVERYTHING = "all"
_OF_ROOTS = [
    shared(
        "questions", "--root", "root", multiple=True, metavar="PATH", help="A directory to name when asked for roots."
    ),
    shared("questions", "--root-uri", multiple=True, metavar="URI", help="The same, by its URI."),
]
_OPTIONS = [
    shared(
        "questions",
        "--offer",
        multiple=True,
        metavar="NAMES",
        help="Declare these, or all: sampling,elicitation.form,…",
    ),
    shared("questions", "--no-offer", multiple=True, metavar="NAMES", help="Declare none of these."),
    *_OF_ROOTS,
    shared(
        "questions",
        "--answers",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Answer questions from JSON or YAML.",
    ),
]


class Answers(msgspec.Struct, frozen=True):
    """What was said about questions."""

    prepared: "tuple[Prepared, ...]" = ()
    roots: tuple[Root, ...] = ()
    more: frozenset[str] = frozenset()
    """Offers that were asked for by name."""
    fewer: frozenset[str] = frozenset()
    """Offers that were forbidden by name; one that was also asked for is made."""
    model: ModelChoice | None = None
    """A real model for sampling; None if none was named."""
    policies: "tuple[tuple[str, Policy], ...]" = ()
    """Who answers before what was prepared, by name."""
    instead: frozenset[str] | None = None
    """What is declared in the place of all that can be answered; None: that."""

    def offers(self, *, has_person: bool) -> frozenset[str]:
        """What is declared to the server."""
        all_ = frozenset(offers.ALL) if has_person else self._answerable()
        return ((all_ if self.instead is None else self.instead) - self.fewer) | self.more

    def _answerable(self) -> frozenset[str]:
        kinds = {prepared.kind for prepared in self.prepared}
        found = {offers.TASKS} | ({offers.ROOTS} if self.roots else set())  # a task can always be followed
        if Kind.SAMPLING in kinds:
            found.add(offers.SAMPLING)
        if self.model is not None:
            found |= {offers.SAMPLING, offers.SAMPLING_TOOLS}
        if Kind.ELICITATION in kinds:
            found |= {offers.FORM, offers.URL}
        return frozenset(found)


def answers_options(command: F) -> F:
    """Add the options about questions, which every command that talks to a server takes."""
    command = sampler_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def roots_options(command: F) -> F:
    """Add those that name roots, and no other."""
    for option in reversed(_OF_ROOTS):
        command = option(command)
    return command


def read(options: Mapping[str, Any], env: Mapping[str, str] | None = None) -> Answers:
    """What those options come to; a model's key comes from `env`. Raises: UsageError."""
    file = options.get("answers")
    return Answers(
        () if file is None else _prepared(file),
        roots(options),
        _asked_for(_names(options.get("offer", ()))),
        _forbidden(_names(options.get("no_offer", ()))),
        read_model(options, env or {}),
        options.get("policies", ()),
        options.get("offers_instead"),
    )


def _prepared(file: Path) -> "tuple[Prepared, ...]":
    from inspector.session.scripted import read_answers

    return read_answers(file)


def roots(options: Mapping[str, Any]) -> tuple[Root, ...]:
    """The roots that were named, paths first. Raises: UsageError."""
    paths = [_directory(text) for text in options.get("root", ())]
    return (*paths, *(_by_uri(text) for text in options.get("root_uri", ())))


def _directory(text: str) -> Root:
    path = expanded(text).absolute()
    if not path.is_dir():
        raise UsageError(f"--root {text}: no such directory", hint="For one that is not there take --root-uri.")
    return Root(path.as_uri(), path.name)


def _by_uri(text: str) -> Root:
    """Any URI: a root is to be a file's by the specification, and a wrong one can be tried."""
    try:
        scheme = urlsplit(text).scheme
    except ValueError:
        scheme = ""
    if not scheme:
        raise UsageError(f"--root-uri {text!r} is no URI", hint="It looks like file:///home/me/project.")
    return Root(text)


def _names(given: tuple[str, ...]) -> list[str]:
    """The names in comma-separated texts."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _asked_for(names: list[str]) -> frozenset[str]:
    return frozenset(offers.ALL) if EVERYTHING in names else offers.parse_offers(names)


def _forbidden(names: list[str]) -> frozenset[str]:
    """Without sampling there are no tools in it; without the tools there is still sampling."""
    found = set(_asked_for(names))
    if offers.SAMPLING in names:
        found.add(offers.SAMPLING_TOOLS)
    elif EVERYTHING not in names:
        found.discard(offers.SAMPLING)
    return frozenset(found)
