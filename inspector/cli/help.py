"""Help that begins with what to type: a command that shows its examples before its options."""

from typing import Any

import click


class Documented(click.Command):
    """A command with examples."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, then what it does."""
        formatter.write_paragraph()
        formatter.write("".join(f"  {example}\n" for example in self.examples))
        super().format_help_text(ctx, formatter)
