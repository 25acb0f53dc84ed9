"""The matrix: a row a fact, a column a revision, and only what changed."""

from inspector.cli.revision_matrix import as_json, as_markdown, as_text, matrix
from inspector.protocol.revisions.table import ROWS


def test_a_cell_says_what_changed_and_the_first_column_is_whole() -> None:
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
