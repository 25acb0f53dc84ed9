"""What a finding is."""

from inspector.checks.catalog import all_checks
from inspector.checks.findings import Confidence, Finding, Severity, page_of
from inspector.protocol.revisions.table import ROWS


def test_severities_sort_worst_first() -> None:
    assert sorted(Severity, key=lambda each: each.rank) == [Severity.ERROR, Severity.WARNING, Severity.HINT]


def test_a_finding_without_evidence_rests_on_an_absence() -> None:
    found = Finding("server-silent", Severity.ERROR, Confidence.CERTAIN, "nothing came")
    assert (found.frames, found.pointer, found.span) == ((), "", None)


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
    assert not [each.id for each in all_checks() if not each.is_diagnosis and not each.topic]
