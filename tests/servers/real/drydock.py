"""A dry dock built with `fastmcp` and `fastmcp-tasks`: tools that the server runs as tasks of the extension.

    PYTHON drydock.py stdio | http PORT

Nothing of this project is used here.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator"

import asyncio
import sys
from datetime import timedelta
from typing import Any

import mcp_types
from fastmcp import Context, FastMCP
from fastmcp.dependencies import Progress
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension

dock = FastMCP("drydock")
dock.add_extension(TasksExtension())


def often(mode: str) -> Any:
    """A task that wants to be asked five times a second."""
    return TaskConfig(mode=mode, poll_interval=timedelta(milliseconds=200))


@dock.tool(task=often("required"))
async def caulk(seams: int = 3, progress: Any = Progress()) -> str:  # noqa: B008, the way of the package
    """Caulk seam after seam."""
    await progress.set_total(seams)
    for seam in range(seams):
        await progress.set_message(f"seam {seam + 1}")
        await asyncio.sleep(0.2)
        await progress.increment()
    return f"{seams} seams are tight"


@dock.tool(task=often("optional"))
async def scrape() -> str:
    """Scrape the hull."""
    return "clean"


@dock.tool(task=often("required"))
async def leak() -> str:
    """Fail."""
    raise ValueError("water comes in")


@dock.tool(task=often("required"))
async def wait_for_tide() -> str:
    """Wait until somebody calls it off."""
    await asyncio.Event().wait()
    return "tide"


@dock.tool(task=often("required"))
async def rename(ctx: Context) -> Any:
    """Ask for a name, in the middle of the task."""
    answers = ctx.input_responses
    if answers is None:
        schema = {"type": "object", "properties": {"name": {"type": "string", "default": "Petrel"}}}
        params = mcp_types.ElicitRequestFormParams(message="Which name goes on the stern?", requestedSchema=schema)  # type: ignore[call-arg]
        return mcp_types.InputRequiredResult(
            input_requests={"stern": mcp_types.ElicitRequest(method="elicitation/create", params=params)}
        )
    content = getattr(answers["stern"], "content", None) or {}
    return f"she is the {content.get('name', 'nameless')} now"


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    where = {} if transport == "stdio" else {"port": port}
    dock.run("stdio" if transport == "stdio" else "streamable-http", show_banner=False, **where)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
