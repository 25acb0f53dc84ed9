"""fastapi-mcp: `PYTHON fastapi_app.py http|sse PORT`."""

# mypy: ignore-errors

import sys

import uvicorn
from fastapi import FastAPI
from fastapi_mcp import FastApiMCP

app = FastAPI(title="add")


@app.get("/add", operation_id="add", summary="Adds two numbers.")
def add(a: float, b: float = 1) -> dict[str, float]:
    """Add two numbers."""
    return {"sum": a + b}


mcp = FastApiMCP(app)
(mcp.mount_sse if sys.argv[1] == "sse" else mcp.mount_http)()
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
