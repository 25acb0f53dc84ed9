"""A command's help shows its examples as they are, before it says what it does."""

import click
from click.testing import CliRunner

from inspector.cli.help import Documented, shared
from tests.cli.running import inspect


def test_examples_stand_between_the_usage_and_the_description() -> None:
    example = "fly --to 'the moon and back, which makes a line that is too long and must not be wrapped at all'"
    command = Documented("fly", examples=(example,))
    command.help = "Fly somewhere."
    lines = command.get_help(click.Context(command, info_name="fly")).splitlines()
    assert lines[0].startswith("Usage: fly")
    assert lines[2] == f"  {command.examples[0]}"
    assert lines[4] == "  Fly somewhere."


@click.command("sail", cls=Documented, examples=("sail",))
@shared("server", "--wind", metavar="KNOTS", help="Wait for so much wind.")
@shared("requests", "--answers-file", help="Have answers.")
@click.option("--far", help="How far.")
@click.argument("harbour")
def sail(**options: object) -> None:
    """Sail somewhere."""


def said(*argv: str) -> str:
    result = CliRunner().invoke(sail, argv, terminal_width=60)
    assert result.exit_code == 0
    return result.output


def test_help_names_shared_options_by_topic() -> None:
    short, whole = said("--help"), said("--help-all")
    assert "--far" in short
    assert "  server      --wind\n  requests    --answers-file" in short
    assert "Wait for so much wind." not in short
    assert whole.index("How far.") < whole.index("Server: ") < whole.index("Wait for so much wind.")


def test_every_command_takes_help_all() -> None:
    alone = Documented("row", params=[click.Option(["--fast"])])
    result = CliRunner().invoke(alone, ["--help-all"])
    assert (result.exit_code, "--fast" in result.output) == (0, True)


def test_help_of_a_group_has_whole_sentences_about_its_commands() -> None:
    for group in ("tap", "auth", "config"):
        assert "...\n" not in inspect(group, "-h").stdout.partition("Commands:")[2]
