"""The pinned clients, and how each is installed: npm and PyPI packages that need no account."""

import msgspec


class Pin(msgspec.Struct, frozen=True):
    id: str
    registry: str
    """“npm” or “pypi”."""
    package: str
    version: str
    beside: tuple[str, ...] = ()
    """Packages that it needs in a version that it does not ask for."""
    node: str = ""
    """Major version of node that it needs, if not the installed one."""

    @property
    def programs(self) -> str:
        """The folder of its programs, below the folder it is installed in."""
        return "node_modules/.bin" if self.registry == "npm" else "bin"


PINS = {
    pin.id: pin
    for pin in (
        Pin("claude-code", "npm", "@anthropic-ai/claude-code", "2.1.332"),
        Pin("codex", "npm", "@openai/codex", "0.171.0"),
        Pin("gemini-cli", "npm", "@google/gemini-cli", "0.61.0"),
        Pin("opencode", "npm", "opencode-ai", "1.18.33"),
        Pin("qwen-code", "npm", "@qwen-code/qwen-code", "0.24.4", node="24"),
        Pin("copilot-cli", "npm", "@github/copilot", "1.0.102"),
        Pin("cline", "npm", "cline", "3.0.65"),
        Pin("continue", "npm", "@continuedev/cli", "1.5.47"),
        Pin("mcporter", "npm", "mcporter", "0.12.3", node="24"),
        Pin("typescript-sdk-1", "npm", "@modelcontextprotocol/sdk", "1.32.2"),
        Pin("typescript-sdk-2", "npm", "@modelcontextprotocol/client", "2.4.0"),
        Pin("python-sdk-1", "pypi", "mcp", "1.30.0"),
        Pin("python-sdk-2", "pypi", "mcp", "2.3.0"),
        Pin("fastmcp", "pypi", "fastmcp", "4.2.3"),
        Pin("langchain-mcp-adapters", "pypi", "langchain-mcp-adapters", "0.3.2"),
        Pin("pydantic-ai", "pypi", "pydantic-ai-slim[mcp]", "2.68.0"),
        Pin("openai-agents", "pypi", "openai-agents", "0.24.0"),
        Pin("llama-index", "pypi", "llama-index-tools-mcp", "0.6.0"),
        Pin("google-adk", "pypi", "google-adk[mcp]", "2.13.0"),
        Pin("smolagents", "pypi", "smolagents[mcp]", "1.26.0", beside=("mcp==1.30.0",)),
        Pin("mcp-use", "pypi", "mcp-use", "1.7.1"),
        Pin("strands-agents", "pypi", "strands-agents", "1.62.0"),
        Pin("haystack", "pypi", "mcp-haystack", "2.1.1"),
        Pin("agno", "pypi", "agno[mcp]", "3.1.10"),
        Pin("agent-framework", "pypi", "agent-framework-core", "1.23.0", beside=("mcp==2.3.0", "tenacity==9.1.4")),
        Pin("autogen", "pypi", "autogen-ext[mcp]", "0.7.5", beside=("mcp==1.30.0",)),
        Pin("semantic-kernel", "pypi", "semantic-kernel[mcp]", "1.45.0"),
        Pin("crewai", "pypi", "crewai-tools[mcp]", "1.15.30"),
        Pin("langchain-js", "npm", "@langchain/mcp-adapters", "1.1.4"),
        Pin("openai-agents-js", "npm", "@openai/agents", "0.20.0"),
        Pin("mastra", "npm", "@mastra/mcp", "2.0.0"),
        Pin("ai-sdk", "npm", "@ai-sdk/mcp", "2.0.99"),
        Pin("mcp-remote", "npm", "mcp-remote", "0.15.1"),
        Pin("inspector-cli", "npm", "@modelcontextprotocol/inspector", "2.12.0"),
    )
}


def install_commands(pin: Pin, folder: str) -> list[list[str]]:
    """Return the commands that install a client below an empty folder."""
    if pin.registry == "npm":
        node = [f"node@{pin.node}"] if pin.node else []
        return [["npm", "install", "--silent", "--prefix", folder, f"{pin.package}@{pin.version}", *node]]
    return [
        ["python3", "-m", "venv", folder],
        [f"{folder}/bin/python", "-m", "pip", "install", "-q", f"{pin.package}=={pin.version}", *pin.beside],
    ]
