"""Drivers of the clients that are Python libraries. Each runs in the environment of its library alone.

`python drivers.py NAME SERVERS.json` prints for each server the tools as the library hands them to a program, and the
results of calls: `{server: {tools: [{name, description, schema}], results: [text], error}}`.
"""

# mypy: disable-error-code="import-not-found, import-untyped, attr-defined, no-any-return, call-arg, arg-type"

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

_ARGUMENTS = {"a": "x"}
_SECONDS = 60


class Report:
    """What one server's tools look like to a program."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        """The tool to call; "" for none."""
        self.tools: list[dict[str, Any]] = []
        self.results: list[str] = []
        self.instructions = ""

    def tool(self, name: str, description: str | None, schema: Any) -> None:
        try:
            json.dumps(schema, default=str)
        except ValueError as error:
            schema = f"not JSON: {error}"  # no request to a model can have it
        self.tools.append({"name": name, "description": description, "schema": schema})

    def calls(self, name: str) -> bool:
        return bool(self.wanted) and name.replace("-", "_").endswith(self.wanted)


Driver = Callable[[list[str], Report], Awaitable[None]]


async def python_sdk_1(argv: list[str], report: Report) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with stdio_client(StdioServerParameters(command=argv[0], args=argv[1:])) as (read, write):
        async with ClientSession(read, write) as session:
            report.instructions = (await session.initialize()).instructions or ""
            for tool in (await session.list_tools()).tools:
                report.tool(tool.name, tool.description, tool.inputSchema)
            if report.wanted:
                report.results.append((await session.call_tool(report.wanted, _ARGUMENTS)).model_dump_json())


async def python_sdk_2(argv: list[str], report: Report) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with Client(stdio_client(StdioServerParameters(command=argv[0], args=argv[1:]))) as client:
        for tool in (await client.list_tools()).tools:
            report.tool(tool.name, tool.description, tool.input_schema)
        if report.wanted:
            report.results.append((await client.call_tool(report.wanted, _ARGUMENTS)).model_dump_json())


async def fastmcp(argv: list[str], report: Report) -> None:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(argv[0], argv[1:])) as client:
        for tool in await client.list_tools():
            report.tool(tool.name, tool.description, getattr(tool, "input_schema", None) or tool.inputSchema)
        if report.wanted:
            result = await client.call_tool(report.wanted, _ARGUMENTS)
            report.results.append(f"{result.content} {result.structured_content}")


async def langchain_mcp_adapters(argv: list[str], report: Report) -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from langchain_mcp_adapters.client import MultiServerMCPClient

    connection = {"command": argv[0], "args": argv[1:], "transport": "stdio"}
    for tool in await MultiServerMCPClient({"s": connection}).get_tools():
        _openai(convert_to_openai_tool(tool), report)
        if report.calls(tool.name):
            report.results.append(
                str(await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": _ARGUMENTS}))
            )


async def pydantic_ai(argv: list[str], report: Report) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    asked: list[Any] = []

    def answer(messages: Any, info: Any) -> Any:
        if not asked:
            asked.append(info)
            if report.wanted:
                return ModelResponse(parts=[ToolCallPart(report.wanted, _ARGUMENTS)])
        return ModelResponse(parts=[TextPart("done")])

    try:
        from pydantic_ai.mcp import MCPServerStdio

        server = MCPServerStdio(argv[0], argv[1:])
    except ImportError:
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset

        server = MCPToolset(StdioTransport(argv[0], argv[1:]))
    result = await Agent(FunctionModel(answer), toolsets=[server]).run("Call the tools.")
    for tool in asked[0].function_tools:
        report.tool(tool.name, tool.description, tool.parameters_json_schema)
    report.results.append(str(result.all_messages()))


async def openai_agents(argv: list[str], report: Report) -> None:
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStdio
    from agents.mcp.util import MCPUtil

    async with MCPServerStdio(
        {"command": argv[0], "args": argv[1:]}, client_session_timeout_seconds=_SECONDS
    ) as server:
        agent = Agent(name="a", mcp_servers=[server])
        for tool in await MCPUtil.get_all_function_tools([server], False, RunContextWrapper(None), agent):
            report.tool(tool.name, tool.description, tool.params_json_schema)
        if report.wanted:
            report.results.append(str(await server.call_tool(report.wanted, _ARGUMENTS)))


async def llama_index(argv: list[str], report: Report) -> None:
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

    client = BasicMCPClient(argv[0], args=argv[1:], timeout=_SECONDS)
    for tool in await McpToolSpec(client).to_tool_list_async():
        _openai(tool.metadata.to_openai_tool(), report)
        if report.calls(tool.metadata.name):
            report.results.append(str(await tool.acall(**_ARGUMENTS)))


async def google_adk(argv: list[str], report: Report) -> None:
    from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
    from mcp import StdioServerParameters

    parameters = StdioServerParameters(command=argv[0], args=argv[1:])
    toolset = McpToolset(connection_params=StdioConnectionParams(server_params=parameters, timeout=_SECONDS))
    try:
        for tool in await toolset.get_tools():
            shown = tool._get_declaration()
            report.tool(shown.name, shown.description, shown.parameters_json_schema)
    finally:
        await toolset.close()


async def smolagents(argv: list[str], report: Report) -> None:
    from mcp import StdioServerParameters
    from smolagents import MCPClient

    def run() -> None:
        with MCPClient(StdioServerParameters(command=argv[0], args=argv[1:]), structured_output=False) as tools:
            for tool in tools:
                report.tool(tool.name, tool.description, tool.inputs)
                if report.calls(tool.name):
                    report.results.append(str(tool(**_ARGUMENTS)))

    await asyncio.to_thread(run)


async def mcp_use(argv: list[str], report: Report) -> None:
    from mcp_use import MCPClient

    client = MCPClient({"mcpServers": {"s": {"command": argv[0], "args": argv[1:]}}})
    async with AsyncExitStack() as stack:
        stack.push_async_callback(client.close_all_sessions)
        session = await client.create_session("s")
        for tool in await session.list_tools():
            report.tool(tool.name, tool.description, tool.inputSchema)
        if report.wanted:
            report.results.append((await session.call_tool(report.wanted, _ARGUMENTS)).model_dump_json())


async def strands_agents(argv: list[str], report: Report) -> None:
    from mcp import StdioServerParameters, stdio_client
    from strands.tools.mcp import MCPClient

    client = MCPClient(lambda: stdio_client(StdioServerParameters(command=argv[0], args=argv[1:])))
    try:
        for tool in await client.load_tools():
            spec = tool.tool_spec
            report.tool(spec["name"], spec["description"], spec["inputSchema"]["json"])
        if report.wanted:
            result = await client.call_tool_async(tool_use_id="1", name=report.wanted, arguments=_ARGUMENTS)
            report.results.append("" if result["status"] == "error" else str(result))
    finally:
        client.stop(None, None, None)


async def haystack(argv: list[str], report: Report) -> None:
    from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo

    def run() -> None:
        toolset = MCPToolset(StdioServerInfo(command=argv[0], args=argv[1:]), connection_timeout=_SECONDS)
        toolset.warm_up()
        try:
            for tool in toolset:
                report.tool(tool.name, tool.description, tool.tool_spec["parameters"])
                if report.calls(tool.name):
                    report.results.append(str(tool.invoke(**_ARGUMENTS)))
        finally:
            toolset.close()

    await asyncio.to_thread(run)


async def agno(argv: list[str], report: Report) -> None:
    from agno.tools.function import FunctionCall
    from agno.tools.mcp import MCPTools
    from mcp import StdioServerParameters

    parameters = StdioServerParameters(command=argv[0], args=argv[1:])
    async with MCPTools(server_params=parameters, timeout_seconds=_SECONDS) as tools:
        for function in tools.functions.values():
            shown = function.to_dict()
            report.tool(shown["name"], shown.get("description"), shown["parameters"])
            if report.calls(function.name):
                done = await FunctionCall(function=function, arguments=_ARGUMENTS).aexecute()
                report.results.append("" if done.status == "failure" else str(done.result))


async def agent_framework(argv: list[str], report: Report) -> None:
    from agent_framework import MCPStdioTool

    async with MCPStdioTool("s", argv[0], args=argv[1:], load_prompts=False) as server:
        for function in server.functions:
            report.tool(function.name, function.description, function.parameters())
        if report.wanted:
            report.results.append(str([str(each) for each in await server.call_tool(report.wanted, **_ARGUMENTS)]))


async def autogen(argv: list[str], report: Report) -> None:
    from autogen_core import CancellationToken
    from autogen_ext.tools.mcp import StdioServerParams, mcp_server_tools

    for tool in await mcp_server_tools(
        StdioServerParams(command=argv[0], args=argv[1:], read_timeout_seconds=_SECONDS)
    ):
        report.tool(tool.schema["name"], tool.schema.get("description"), tool.schema.get("parameters"))
        if report.calls(tool.name):
            report.results.append(str(await tool.run_json(_ARGUMENTS, CancellationToken())))


async def semantic_kernel(argv: list[str], report: Report) -> None:
    from semantic_kernel import Kernel
    from semantic_kernel.connectors.ai.function_calling_utils import kernel_function_metadata_to_function_call_format
    from semantic_kernel.connectors.mcp import MCPStdioPlugin

    async with MCPStdioPlugin("s", argv[0], args=argv[1:], load_prompts=False, request_timeout=_SECONDS) as plugin:
        kernel = Kernel()
        kernel.add_plugin(plugin)
        for metadata in kernel.get_full_list_of_function_metadata():
            _openai(kernel_function_metadata_to_function_call_format(metadata), report)
        if report.wanted:
            report.results.append(str([str(each) for each in await plugin.call_tool(report.wanted, **_ARGUMENTS)]))


async def crewai(argv: list[str], report: Report) -> None:
    from crewai_tools import MCPServerAdapter
    from mcp import StdioServerParameters

    def run() -> None:
        parameters = StdioServerParameters(command=argv[0], args=argv[1:])
        with MCPServerAdapter(parameters, connect_timeout=_SECONDS) as tools:
            for tool in tools:
                report.tool(tool.name, tool.description, tool.args_schema.model_json_schema())
                if report.calls(tool.name):
                    report.results.append(str(tool.run(**_ARGUMENTS)))

    await asyncio.to_thread(run)


def _openai(tool: dict[str, Any], report: Report) -> None:
    function = tool["function"]
    report.tool(function["name"], function.get("description"), function.get("parameters"))


_DRIVERS: dict[str, Driver] = {
    "python-sdk-1": python_sdk_1,
    "python-sdk-2": python_sdk_2,
    "fastmcp": fastmcp,
    "langchain-mcp-adapters": langchain_mcp_adapters,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "llama-index": llama_index,
    "google-adk": google_adk,
    "smolagents": smolagents,
    "mcp-use": mcp_use,
    "strands-agents": strands_agents,
    "haystack": haystack,
    "agno": agno,
    "agent-framework": agent_framework,
    "autogen": autogen,
    "semantic-kernel": semantic_kernel,
    "crewai": crewai,
}


async def _one(driver: Driver, argv: list[str], wanted: str) -> dict[str, Any]:
    report, error = Report(wanted), ""
    try:
        await asyncio.wait_for(driver(argv, report), _SECONDS)
    except BaseException as failure:  # noqa: BLE001  whatever a library raises is its observed behaviour
        error = f"{type(failure).__name__}: {failure}"[:500]
    return {"tools": report.tools, "results": report.results, "instructions": report.instructions, "error": error}


def main(name: str, path: str) -> None:
    """Print the reports of all servers in a file: `{server: {argv, call}}`."""
    with open(path, encoding="utf-8") as file:
        servers = json.load(file)
    out = {server: asyncio.run(_one(_DRIVERS[name], each["argv"], each["call"])) for server, each in servers.items()}
    sys.stdout.write(json.dumps(out, default=str) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
