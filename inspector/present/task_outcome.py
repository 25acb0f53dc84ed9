"""The result of a task, from the journal of its conversation."""

from dataclasses import replace

from inspector.capture.journal import Journal
from inspector.present.result import Finished
from inspector.protocol import peek
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, read
from inspector.protocol.tracking.tasks import ENDED, Task, TaskState


def outcome(journal: Journal, task: Task) -> tuple[Finished, bytes] | None:
    """What a task came to, as if its call had been answered, and the frame that carried it. Reads the disk.

    None if that never came.
    """
    if task.result_frame is None:
        return None
    what = journal.store.entry(task.result_frame).what
    raw = what.payload if isinstance(what, Frame) else b""
    opening = journal.conversation.opening
    found = Finished(
        task.method or "tools/call",
        target=task.target,
        duration_ns=None if task.ended_ns is None else task.ended_ns - task.seen_ns,
        size=len(raw),
        rounds=task.polls + 1,
        revision=opening.revision if opening else None,
        failed_task=task.state == TaskState.FAILED,
        answered=False,
        failure="What it came to can't be read back.",
    )
    for message in read(raw):
        if (done := _of_message(message, found)) is not None:
            return done, raw
    return found, raw


def _of_message(message: object, found: Finished) -> Finished | None:
    match message:
        case ErrorAnswer():
            return replace(found, error=message.error, failure="")
        case Answer():
            told = message.result
        case Notification():
            told = message.params
        case _:
            return None
    if peek.text(told, "status") not in ENDED:  # the answer to tasks/result is the result itself
        return replace(found, result=told, answered=True, failure="")
    if peek.at(told, "error") is not None:
        return replace(found, error=peek.at(told, "error"), failure="")
    return replace(found, result=peek.at(told, "result"), answered=True, failure="")
