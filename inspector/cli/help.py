"""Help that fits on one screen: examples, the command's own options, shared options by topic.

Most options are shared by all commands that connect to a server. They have a topic: `--help` lists the option names
of each topic on one line, and `--help-all` describes them.
"""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import click

from inspector.cli.command_line import first_word, refuse_misspelt_option
from inspector.errors import UsageError

TOPICS = {
    "comparing": "which differences count",
    "findings": "baseline, clients and reports",
    "probe": "calls with valid and invalid arguments",
    "load": "length of a level, slowest calls and reports",
    "server": "process, connection and protocol",
    "requests": "server requests (elicitation, sampling, roots) and their responses",
    "extensions": "protocol extensions to advertise",
    "login": "OAuth",
}
"""Topics with their descriptions, in display order."""

_SENTENCE = 300
"""Maximum characters of the first sentence about a subcommand."""
F = TypeVar("F", bound=Callable[..., Any])
_ALL = f"{__name__}.all"


class SharedOption(click.Option):
    """An option that several commands share."""

    def __init__(self, *args: Any, topic: str = "", rare: bool = False, **kwargs: Any) -> None:
        """Create the option. A `rare` option is only counted by `--help`, and listed by `--help-all`."""
        super().__init__(*args, **kwargs)
        self.topic = topic
        self.rare = rare


def shared(topic: str, *names: str, **kwargs: Any) -> Callable[..., Any]:
    """Return a decorator for an option with a topic, one of TOPICS."""
    return click.option(*names, cls=SharedOption, topic=topic, **kwargs)


def option_group(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds several options in this order; all commands share one object for each option."""
    made: list[click.Parameter] = []

    def add(command: F) -> F:
        if not made:
            holder = lambda: None  # noqa: E731 - click collects the parameters of a function in an attribute of it
            for option in reversed(options):
                option(holder)
            made.extend(vars(holder)["__click_params__"])
        vars(command).setdefault("__click_params__", []).extend(made)
        return command

    return add


class Documented(click.Command):
    """A command with examples and a description of its JSON output."""

    def __init__(
        self,
        *args: Any,
        examples: tuple[str, ...] = (),
        json_shape: str = "",
        other_names: Mapping[str, str] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        """Create the command.

        `json_shape`: the members of its --json output in Markdown; "" without JSON output. `other_names`: options of
        similar programs, and what they are called here.
        """
        super().__init__(*args, **kwargs)
        self._other_names = other_names
        self.examples = examples
        self.json_shape = json_shape
        self.params.append(HELP_ALL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. An option that similar programs have leads to its name here."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if ours := self._other_names.get(error.option_name):
                advice = f"Did you mean {ours!r}? See {ctx.command_path} --help."
                raise UsageError(f"no such option {error.option_name!r}", hint=advice) from None
            raise

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the same names in every context, because click caches those of the first one."""
        return ["-h", "--help"]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the description."""
        write_examples(formatter, self.examples)
        super().format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, and shared ones by name, or with descriptions for --help-all."""
        _write_options(self, ctx, formatter)
        if self.json_shape and ctx.meta.get(_ALL):
            with formatter.section("JSON output"):
                formatter.write_text(self.json_shape.replace("`", ""))


def documented(
    name: str, examples: tuple[str, ...], json_shape: str = "", *, group: click.Group | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command with examples; with `group`, one of its subcommands."""
    make = click.command if group is None else group.command
    return make(name, cls=Documented, examples=examples, json_shape=json_shape, **settings)


class DocumentedGroup(click.Group):
    """A command with subcommands and examples. Options may precede the subcommand's name."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples
        if any(isinstance(param, SharedOption) for param in self.params):
            self.params.append(HELP_ALL)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the same names in every context, because click caches those of the first one."""
        return ["-h", "--help"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options as for a command, then the subcommands."""
        _write_options(self, ctx, formatter)
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(_SENTENCE)) for name, each in found if each])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move the subcommand's name to the front."""
        place = first_word(args)
        if place is not None and args[place] not in self.commands:
            refuse_misspelt_option(args, {each for param in self.params for each in param.opts}, ctx.command_path)
        return super().parse_args(ctx, args if place is None else [args[place], *args[:place], *args[place + 1 :]])

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the description."""
        write_examples(formatter, self.examples)
        super().format_help_text(ctx, formatter)


def _write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write a command's own options, and shared ones by name, or with descriptions for --help-all."""
    params = [param for param in command.get_params(ctx) if isinstance(param, click.Option)]
    own = [record for param in params if not isinstance(param, SharedOption) and (record := param.get_help_record(ctx))]
    with formatter.section("Options"):
        formatter.write_dl(own)
    by_topic = {topic: [each for each in params if getattr(each, "topic", "") == topic] for topic in TOPICS}
    if not ctx.meta.get(_ALL):
        _write_names({topic: options for topic, options in by_topic.items() if options}, formatter)
        return
    for topic, options in by_topic.items():
        if records := [record for option in options if (record := option.get_help_record(ctx))]:
            with formatter.section(f"{topic.capitalize()}: {TOPICS[topic]}"):
                formatter.write_dl(records)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write the examples after a blank line."""
    formatter.write_paragraph()
    formatter.write("".join(f"  {example}\n" for example in examples))


def _write_names(by_topic: dict[str, list[click.Option]], formatter: click.HelpFormatter) -> None:
    if not by_topic:
        return
    with formatter.section("More options, explained by --help-all"):
        for topic, options in by_topic.items():
            often = [max(option.opts, key=len) for option in options if not getattr(option, "rare", False)]
            seldom = len(options) - len(often)
            names = ", ".join([*often, f"and {seldom} more"] if seldom else often)
            lines = textwrap.wrap(names, max(20, formatter.width - 16), break_on_hyphens=False)
            for number, line in enumerate(lines):
                formatter.write(f"  {topic if not number else '':<12}{line}\n")


def _show_all(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    ctx.meta[_ALL] = True
    click.echo(ctx.get_help(), color=ctx.color)
    ctx.exit()


HELP_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="Show all options."
)
