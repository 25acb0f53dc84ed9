"""Where the specification says something, by topic and revision."""

from inspector.checks.everything import all_checks
from inspector.checks.pages import page_of
from inspector.protocol.revisions.table import ROWS


def test_pages_follow_the_specification_as_it_moves() -> None:
    first, third, last = ROWS[0], ROWS[2], ROWS[-1]
    assert page_of("basic", first) == f"{first.page}/basic/messages"
    assert page_of("basic", third) == f"{third.page}/basic"
    assert page_of("http", third) == f"{third.page}/basic/transports"
    assert page_of("http", last) == f"{last.page}/basic/transports/streamable-http"
    assert page_of("basic/lifecycle", last) == f"{last.page}/basic/versioning"
    assert page_of("schema", first).endswith(f"/schema/{first.date}/schema.ts")
    assert page_of("schema", third) == f"{third.page}/schema"


def test_without_a_topic_or_a_revision_there_is_no_page() -> None:
    assert page_of("", ROWS[0]) == ""
    assert page_of("basic", None) == ""


def test_every_rule_of_the_specification_has_a_page() -> None:
    assert not [each.id for each in all_checks() if "-" not in each.id and not each.topic]
