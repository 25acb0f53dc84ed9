"""By which revision an answer is judged."""

import pytest

from inspector.checks.inspection import Inspection
from inspector.checks.rows import row_of_request
from inspector.checks.scene import Scene
from inspector.protocol.revisions.table import ROWS
from tests.checks.talks import META, Talk, initialize, initialized


def _rows(talk: Talk) -> set[str]:
    return {each.revision for each in talk.findings()}


@pytest.mark.parametrize("row", [1, 2, 3, 4, 5])
def test_a_conversation_is_judged_by_what_was_agreed_on(row: int) -> None:
    assert _rows(Talk(row).ask("tools/call", {"name": "a"}).answer({})) == {ROWS[row - 1].date}


def test_the_answer_to_initialize_is_judged_by_the_revision_that_it_names() -> None:
    result = initialized(2) | {"serverInfo": {}}
    talk = Talk(opened=False).ask("initialize", initialize(4)).answer(result)
    assert _rows(talk) == {ROWS[1].date}


def test_a_refused_handshake_and_a_refused_probe_settle_nothing() -> None:
    talk = Talk(5, opened=False).ask("server/discover").error(-32000).ask("initialize").error(-32002)
    assert not {each.id for each in talk.findings()} - {"L-21"}
    inspection = Inspection()
    inspection.take(talk.entries)
    assert inspection.scene.row == 0


def test_a_request_may_declare_its_own() -> None:
    params = {"_meta": {META + "protocolVersion": ROWS[-1].date}}
    assert row_of_request(Scene(), "tools/list", params) == 5
    assert row_of_request(Scene(), "tools/list", {}) == 0
    assert row_of_request(Scene(), "initialize", params) == 0
