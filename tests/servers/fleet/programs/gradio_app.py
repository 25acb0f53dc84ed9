"""gradio: `PYTHON gradio_app.py PORT`."""

# mypy: ignore-errors

import sys

import gradio


def add(a: float, b: float) -> float:
    """Add two numbers. Args: a: The first. b: The second."""
    return a + b


app = gradio.Interface(add, [gradio.Number(), gradio.Number()], gradio.Number(), api_name="add")
app.launch(mcp_server=True, server_name="127.0.0.1", server_port=int(sys.argv[1]), quiet=True)
