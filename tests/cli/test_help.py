"""A command's help shows its examples as they are, before it says what it does."""

import click

from inspector.cli.help import Documented


def test_examples_stand_between_the_usage_and_the_description() -> None:
    example = "fly --to 'the moon and back, which makes a line that is too long and must not be wrapped at all'"
    command = Documented("fly", examples=(example,))
    command.help = "Fly somewhere."
    lines = command.get_help(click.Context(command, info_name="fly")).splitlines()
    assert lines[0].startswith("Usage: fly")
    assert lines[2] == f"  {command.examples[0]}"
    assert lines[4] == "  Fly somewhere."
