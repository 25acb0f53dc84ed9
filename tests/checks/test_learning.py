"""What messages teach."""

from inspector.checks.inspection import Inspection
from inspector.checks.scene import Scene
from inspector.protocol.frames import Direction
from tests.checks.talks import Talk


def _scene(talk: Talk) -> Scene:
    inspection = Inspection()
    inspection.take(talk.entries)
    return inspection.scene


def test_requests_are_open_until_they_are_answered() -> None:
    talk = Talk().ask("tools/list")
    assert (Direction.TO_SERVER, 2) in _scene(talk).asked
    assert (Direction.TO_SERVER, 2) in _scene(talk.answer({"tools": []})).done


def test_a_first_page_begins_a_list_anew() -> None:
    talk = Talk().ask("prompts/list").answer({"prompts": [{"name": "a"}], "nextCursor": "x"})
    talk.ask("prompts/list", {"cursor": "x"}).answer({"prompts": [{"name": "b"}, 3]})
    assert list(_scene(talk).known["prompts"]) == ["a", "b"]
    talk.ask("prompts/list").answer({"prompts": [{"name": "c"}]})
    assert list(_scene(talk).known["prompts"]) == ["c"]


def test_subscriptions_levels_and_tasks_are_known() -> None:
    talk = (
        Talk()
        .ask("resources/subscribe", {"uri": "a:b"})
        .answer({})
        .ask("logging/setLevel", {"level": "error"})
        .answer({})
    )
    talk.ask("tasks/get").answer({"taskId": "t", "status": "working"})
    scene = _scene(talk)
    assert (scene.watched, scene.level, scene.states) == ({"a:b"}, "error", {"t": "working"})
    assert not _scene(talk.ask("resources/unsubscribe", {"uri": "a:b"}).answer({})).watched


def test_finished_tokens_are_not_kept_for_ever() -> None:
    talk = Talk()
    for at in range(8300):
        talk.ask("ping", progressToken=f"t{at}").answer({})
    assert len(_scene(talk).tokens) < 8300
