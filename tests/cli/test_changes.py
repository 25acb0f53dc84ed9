"""What is told of changes, where it is not told by the commands' own tests."""

from inspector.cli.commands.listen import Enough, changes_options
from tests.cli.running import inspect, server


def test_nothing_makes_an_end_by_itself() -> None:
    assert Enough() == Enough(None, None)


def test_how_much_is_enough_is_a_positive_number() -> None:
    for words in (("--count", "0"), ("--for", "0")):
        ran = inspect("listen", *words, *server("listened_to", "grants"))
        assert ran.status == 2
        assert words[0] in ran.stderr


def test_the_options_stand_on_any_command() -> None:
    import click

    command = click.command("x")(changes_options(lambda: None))
    assert sorted(option.name or "" for option in command.params) == ["count", "seconds"]
