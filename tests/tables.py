"""The tables of the documents that come from the program: `python -m tests.tables` writes them."""

import re

from inspector.cli.commands.revisions import as_markdown
from inspector.filters.language.fields import FIELDS
from tests.architecture.sources import ROOT
from tests.schemas.page import shape_table


def filter_fields() -> str:
    """Return the fields of the filter language as a Markdown table."""
    rows = ["| field | type | meaning | example |", "|---|---|---|---|"]
    for field in FIELDS:
        choices = f": {', '.join(field.choices)}" if field.choices else ""
        rows.append(f"| `{field.name}` | {field.type.value} | {field.help}{choices} | `{field.example}` |")
    return "\n".join(rows)


TABLES = {
    "docs/filters.md": ("fields", filter_fields),
    "docs/forms.md": ("shapes", shape_table),
    "docs/protocol-versions.md": ("revisions", as_markdown),
}
"""Page → the name of the marks around its table, and what makes the table."""


def with_tables(page: str) -> str:
    """Return the text of a page with its table as it is now."""
    name, made = TABLES[page]
    begin, end = f"<!-- {name}:begin -->\n", f"\n<!-- {name}:end -->"
    text = (ROOT / page).read_text()
    return re.sub(f"{begin}.*?{end}", lambda _: begin + made().strip() + end, text, flags=re.DOTALL)


if __name__ == "__main__":
    for each in TABLES:
        (ROOT / each).write_text(with_tables(each))
