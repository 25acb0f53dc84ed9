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
elif NAME == "arcade":  # arcade-mcp-server
    from typing import Annotated

    from arcade_mcp_server import MCPApp

    def greet(name: Annotated[str, "Name"], times: Annotated[int, "How often"] = 1) -> Annotated[str, "The greeting"]:
        """Greet someone by name."""
        return f"Hello, {name}! " * min(times, 10)

    arcade = MCPApp(name="arcade", version="1.0.0")
    arcade.tool(greet)
    arcade.run(transport="http", host="127.0.0.1", port=PORT) if PORT else arcade.run(transport="stdio")
elif NAME == "gradio":
    import gradio

    def plus(a: float, b: float) -> float:
        """Add two numbers. Args: a: The first. b: The second."""
        return a + b

    form = gradio.Interface(plus, [gradio.Number(), gradio.Number()], gradio.Number(), api_name="add")
    form.launch(mcp_server=True, server_name="127.0.0.1", server_port=PORT, quiet=True)
elif NAME == "fastapi":  # fastapi-mcp
    from fastapi import FastAPI
    from fastapi_mcp import FastApiMCP

    app = FastAPI(title="add")
    app.get("/add", operation_id="add", summary="Adds two numbers.")(add)
    mcp = FastApiMCP(app)
    (mcp.mount_sse if sys.argv[3] == "sse" else mcp.mount_http)()
    serve(app)
elif NAME == "chuk":  # chuk-mcp-server
    from chuk_mcp_server import ChukMCPServer

    chuk = ChukMCPServer(name="add", version="1.0.0")
    chuk.tool(add)
    chuk.run(host="127.0.0.1", port=PORT) if PORT else chuk.run(stdio=True)
elif NAME == "atom":  # mcpatom
    from mcpatom import Server

    atom = Server("my-server")
    atom.tool(add)
    atom.resource("data://motd")(lambda: "Be indivisible.")
    atom.serve_http(PORT) if PORT else atom.serve_stdio()
elif NAME == "fast_mcp":  # mcp-fastapi, with HTTP+SSE
    from fast_mcp import FastMCP
    from fastapi import FastAPI

    store = FastMCP(app=FastAPI(title="Store API"), name="store-mcp")
    store.tool(add)
    store.mount()
    serve(store.app)
elif NAME == "veloce":
    import asyncio

    from veloce import Veloce
    from veloce.contrib.mcp import MCPAuth

    place = f"http://127.0.0.1:{PORT}"
    guard = MCPAuth(verify=lambda token: None, resource_server_url=f"{place}/mcp", authorization_servers=[place])
    app = Veloce()
    app.mcp_tool(description="Adds two numbers", annotations={"readOnlyHint": True})(add)
    app.mcp_prompt(description="Asks for a haiku", name="haiku")(lambda: "Write a haiku.")
    if PORT:
        app.mount_mcp(sys.argv[3], sessions=sys.argv[3] == "http", auth=guard if sys.argv[4:] else None)
        serve(app)
    else:
        asyncio.run(app.mount_mcp())
elif NAME == "gql":  # fastapi-gql-mcp
    from fastapi import FastAPI
    from fastapi_gql_mcp import FastAPIMCP

    app = FastAPI()
    app.get("/sum")(add)
    FastAPIMCP(app, name="my-app").run(host="127.0.0.1", port=PORT)
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
