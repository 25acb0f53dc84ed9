"""What is known of a conversation, as the checks ask for it."""

from msgspec.structs import replace

from inspector.checks.inspection import Inspection
from inspector.checks.scene import Asked, Scene, row_of
from inspector.protocol.frames import Direction
from inspector.protocol.revisions.table import ROWS
from tests.checks.talks import META, Talk


def _asked(id_: int = 1, **params: object) -> Asked:
    return Asked(Direction.TO_SERVER, id_, "ping", params, 1, 0, None, 4)


def test_a_revision_that_is_not_in_the_table_counts_as_its_era_s_newest() -> None:
    assert [row_of(row) for row in ROWS] == [1, 2, 3, 4, 5]
    assert row_of(replace(ROWS[0], date="x")) == 4
    assert row_of(replace(ROWS[-1], date="x")) == 5


def test_what_is_over_is_remembered_without_its_params() -> None:
    scene, asked = Scene(), _asked(a=1)
    scene.asked[asked.sender, asked.id] = asked
    scene.remember(asked)
    assert not scene.asked
    assert scene.done[asked.sender, asked.id].params is None
    assert asked.params == {"a": 1}


def test_not_all_that_is_over_is_remembered() -> None:
    scene = Scene()
    for id_ in range(10_050):
        scene.remember(_asked(id_))
    assert len(scene.done) == 10_000
    assert (Direction.TO_SERVER, 49) not in scene.done


def test_seldom_is_the_first_ones_and_then_one_of_many() -> None:
    scene = Scene()
    assert [scene.seldom("a", 2, 5) for _ in range(11)].count(True) == 4


def test_abilities_come_from_the_request_where_requests_say_so() -> None:
    scene = Scene()
    asked = _asked(_meta={META + "clientCapabilities": {"roots": {}}})
    assert scene.offered(asked, "roots")
    assert not scene.offered(None, "roots")


def test_the_server_s_abilities_are_those_it_declared() -> None:
    inspection = Inspection()
    inspection.take(Talk(capabilities={"tools": {"listChanged": False}, "logging": True}).entries)
    assert inspection.scene.capable("tools")
    assert inspection.scene.capable("logging")
    assert not inspection.scene.capable("tools", "listChanged")
    assert not inspection.scene.capable("prompts")
