"""A scripted agent finds the cause of faulty servers by tools alone."""

import pytest

from tests.serve.agent import Agent, agent
from tests.servers.faulty import HERE, read

_SERVERS = (
    "framing/echoes",
    "framing/login_shell",
    "lifecycle/answers_twice",
    "lifecycle/before_initialized",
    "lifecycle/id_as_text",
    "process/key_missing",
    "process/module_missing",
    "process/older_sdk",
    "results/dies_in_a_call",
    "surface/hidden_text",
)
_MOST_CALLS = 4


async def _cause(use: Agent) -> str:
    """Return the id of the first cause that the agent is given, as an agent asks: open, check, call, check again."""
    opened = await use("open")
    if "cause" in opened:
        return str(opened["cause"]["id"])
    checked = await use("check")
    if checked["counts"]["error"] or checked["counts"]["warning"]:
        return str(checked["primary"]["id"])
    await use("call", name=opened["from_server"]["tools"][0])
    return str((await use("check"))["primary"]["id"])


@pytest.mark.parametrize("name", _SERVERS)
async def test_the_cause_is_found_in_at_most_four_calls(name: str) -> None:
    server = read(HERE / f"{name}.py")
    words = server.words[: server.words.index("--")]
    async with agent(server.command, *words[: 4 if server.path else 2]) as use:
        assert await _cause(use) == server.expects
        assert use.calls <= _MOST_CALLS
