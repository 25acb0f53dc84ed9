"""What a subject says of tasks, and does about them."""

import pytest

from inspector.tui.task_view import TaskView


async def test_where_nothing_lives_nothing_is_followed_and_nothing_can_be_done() -> None:
    view = TaskView()
    assert view.followed == frozenset()
    with pytest.raises(NotImplementedError):
        await view.on_tasks(lambda tasks: tasks.fetch("t1"))
