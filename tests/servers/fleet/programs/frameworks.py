"""Small servers of Python frameworks, as their READMEs begin: `PYTHON frameworks.py NAME [PORT]`."""

# mypy: ignore-errors

import sys
import threading

NAME, PORT = sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 0


def serve(app) -> None:
    """Serve an ASGI application."""
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=PORT)


def add(a: int, b: int = 1) -> dict[str, int]:
    """Adds two numbers."""
    return {"sum": a + b}


if NAME == "tiny":  # aiohttp-tiny-mcp
    import asyncio

    from aiohttp import web
    from aiohttp_tiny_mcp import Endpoint, Exchange, Registry, elicit, run_stdio
    from pydantic import BaseModel

    class Deploy(BaseModel):
        service: str

    registry = Registry("demo", "0.1.0")

    @registry.tool
    async def deploy(args: Deploy, ex: Exchange) -> str:
        """Deploys a service, once the user agrees."""
        return (await ex.ask("confirm", elicit(f"Deploy {args.service}?"))).action

    if PORT:
        web.run_app(Endpoint(registry).app("/mcp"), host="127.0.0.1", port=PORT)
    else:
        asyncio.run(run_stdio(registry))
elif NAME == "litestar":
    from litestar import Litestar, get
    from litestar.openapi.config import OpenAPIConfig
    from litestar_mcp import LitestarMCP

    @get("/config", mcp_resource="config")
    async def config() -> dict[str, bool]:
        """The configuration."""
        return {"debug": True}

    @get("/sum", mcp_tool="add")
    async def total(a: int, b: int = 1) -> dict[str, int]:
        """Adds two numbers."""
        return add(a, b)

    serve(Litestar([config, total], plugins=[LitestarMCP()], openapi_config=OpenAPIConfig("My API", "1.0.0")))
elif NAME == "router":  # fastapi-mcp-router: it refuses without a token
    from fastapi import FastAPI
    from fastapi_mcp_router import MCPRouter

    app, router = FastAPI(), MCPRouter()

    @router.tool()
    async def write_message(payload: str) -> dict[str, bool]:
        """Writes a message."""
        return {"success": bool(payload)}

    app.include_router(router, prefix="/mcp")
    serve(app)
elif NAME == "graphql":
    from graphql_api import GraphQLAPI
    from graphql_mcp.server import GraphQLMCP

    api = GraphQLAPI()

    @api.type(is_root_type=True)
    class Root:
        @api.field
        def add(self, a: int, b: int) -> int:
            """Adds two numbers."""
            return a + b

    serve(GraphQLMCP.from_api(api, name="My API").http_app())
elif NAME == "zero":  # zeromcp, which serves HTTP+SSE as well
    from zeromcp import McpServer

    zero = McpServer("my-server")
    zero.tool(add)
    zero.resource("file://data.txt")(lambda: {"name": "data.txt"})
    if PORT:
        zero.serve("127.0.0.1", PORT)
        threading.Event().wait()
    zero.stdio()
elif NAME == "kit":  # pymcp-kit, which names its versions to server/discover
    from pymcp import ServerSettings, create_app, tool_registry

    tool_registry.register(add)
    serve(create_app(server_settings=ServerSettings(name="demo", version="0.1.0", protocol_mode=sys.argv[3])))
elif NAME == "minimcp":
    from minimcp import HTTPTransport, MiniMCP

    mini = MiniMCP(name="MathServer")
    mini.tool(description="Adds two numbers")(add)
    serve(HTTPTransport(mini).as_starlette("/mcp"))
elif NAME == "pyrustapi":  # in Rust
    from rustapi import FastAPI

    app = FastAPI()
    app.tool()(add)
    app.run(host="127.0.0.1", port=PORT)
else:
    from easy_mcp import EasyMCP

    easy = EasyMCP(name="easy", version="1.0.0")
    easy.tool()(add)
    easy.resource("memo://guidelines")(lambda: "Keep it simple.")
    easy.run()
