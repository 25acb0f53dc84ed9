"""Traits: what one look at an answer or a notification tells, so that it meets only the checks that can care.

Most messages are plain. A check that names its traits is not asked about a message that lacks one of them; where
nobody has looked, every trait counts as there. A trait never says that something is wrong.
"""

from typing import Any

from inspector.checks.learning import ASKING
from inspector.checks.scene import ALL_TRAITS, Case

CARRIED = 1
"""It came over HTTP."""
PROBED = 2
"""It answers a request that was made on purpose."""
LARGE = 4
"""Its bytes are `LARGE_FROM` or more."""
AFTER = 8
"""Something has happened to the process since it was started."""
FAILED = 16
"""The result says that the call failed."""
RICH = 32
"""There is no list of content, or one with more in it than plain texts."""
STRUCTURED = 64
"""The result has structured content."""
TASK = 128
"""The result is about a task, or one was asked for."""
LARGE_FROM = 100_000


def traits_of_result(case: Case) -> int:
    """The traits of a result that a model waits for; all of them for others, and where it is no object."""
    asked, value = case.asked, case.value
    if asked is None or asked.method not in ASKING or type(value) is not dict:
        return ALL_TRAITS
    found = CARRIED if case.life is not None else 0
    if asked.probe:
        found |= PROBED
    if case.frame is not None and len(case.frame.payload) >= LARGE_FROM:
        found |= LARGE
    if len(case.scene.processes) > 1:
        found |= AFTER
    if value.get("isError") is True:
        found |= FAILED
    if "structuredContent" in value:
        found |= STRUCTURED
    if "task" in value or "taskId" in value or (type(asked.params) is dict and "task" in asked.params):
        found |= TASK
    return found | RICH if _is_rich(value.get("content")) else found


def _is_rich(content: Any) -> bool:
    if type(content) is not list:
        return True
    for block in content:
        if type(block) is not dict or len(block) != 2 or "text" not in block or block.get("type") != "text":
            return True
    return False


def traits_of_telling(case: Case) -> int:
    """The traits of a notification or a request of the server's: how it came alone."""
    return ALL_TRAITS if case.life is not None else ALL_TRAITS & ~CARRIED
