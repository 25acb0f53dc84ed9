"""Where a task stands, in a sign and a word: the same ones in the list of tasks, in the traffic and beside a call."""

from inspector.protocol.tracking.task_words import TaskState
from inspector.protocol.tracking.tasks import Task
from inspector.viewmodels import signs, text
from inspector.viewmodels.roles import Span

_STATES: dict[str, Span] = {
    TaskState.WORKING: (f"{signs.PENDING} working", "pending"),
    TaskState.INPUT_REQUIRED: (f"{signs.EVENT} needs input", "warning"),
    TaskState.COMPLETED: (f"{signs.OK} completed", "ok"),
    TaskState.FAILED: (f"{signs.ERROR} failed", "error"),
    TaskState.CANCELLED: (f"{signs.TIMES} cancelled", "warning"),
}


def state_of(task: Task) -> Span:
    """Where it stands, as whoever runs it said; a state that there is not is shown as it came."""
    if task.lost:
        return f"{signs.WARNING} not known", "warning"
    return state_words(task.state)


def state_words(state: str) -> Span:
    """The sign and the word of a state."""
    return _STATES.get(state) or (f"? {text.visible(state, limit=30) or 'no state'}", "warning")
