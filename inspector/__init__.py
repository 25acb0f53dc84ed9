"""mcp-inspect: an inspector and debugger for Model Context Protocol servers. Here: the version, nothing else."""

__version__ = "0.1.0"
