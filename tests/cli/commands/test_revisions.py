"""`mcp-inspect revisions`: the table, three ways."""

from inspector.cli.commands.revisions import as_json, as_markdown, as_text, matrix
from inspector.protocol.revisions.table import ROWS
from tests.cli.running import LEGACY, MODERN, inspect


def test_each_revision_has_a_block_in_the_text() -> None:
    inspect("revisions").exits(0).prints(LEGACY, f"\n\n{MODERN}\n  era                   modern\n")


def test_as_json_each_revision_is_whole() -> None:
    rows = inspect("revisions", "--json").data["revisions"]
    assert [row["date"] for row in rows][-1] == MODERN
    assert "ping" not in rows[-1]["client_requests"]
    assert rows[0]["error_names"]["-32002"] == "resource not found"


def test_revisions_matrix_marks_changes() -> None:
    head, *lines = matrix()
    assert head == ("", *(row.date for row in ROWS))
    assert all(len(line) == len(head) for line in lines)
    assert all(line[1] != "=" for line in lines)
    facts = {line[0]: line[1:] for line in lines}
    assert facts["era"] == ("legacy", "=", "=", "=", "modern")
    assert facts["batches"] == ("–", "yes", "–", "=", "=")
    assert facts["ping"] == ("yes", "=", "=", "=", "–")


def test_markdown_is_a_table() -> None:
    lines = as_markdown().splitlines()
    assert {line.count("|") for line in lines} == {len(ROWS) + 2}


def test_the_text_fits_80_columns_but_for_its_links() -> None:
    assert max(len(line) for line in as_text().splitlines() if "://" not in line) <= 80


def test_json_has_every_fact_of_a_row() -> None:
    for found, row in zip(as_json()["revisions"], ROWS, strict=True):
        assert set(found) == set(row.__struct_fields__)
        assert found["client_requests"] == sorted(row.client_requests)
