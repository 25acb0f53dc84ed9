"""A ship's chandler with skills and an app, built with fastmcp 4, whose package lists, digests and serves them.

    PYTHON chandler.py stdio DIRECTORY

DIRECTORY is where the skills lie, a directory each. Nothing of this project is used here.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

URI = "ui://chandler/knots"
PAGE = "<!DOCTYPE html><html><body><p>Knots, by hand</p></body></html>"


def knots() -> str:
    """Name the knots there are."""
    return "bowline, sheet bend"


def page() -> str:
    """Show the knots."""
    return PAGE


def shop(directory: Path) -> Any:
    """The server."""
    fastmcp, apps = import_module("fastmcp"), import_module("fastmcp.apps")
    skills = import_module("fastmcp.server.providers.skills")
    extension = import_module("fastmcp.skills.extension")
    provider = skills.SkillsDirectoryProvider(roots=directory, experimental_skills=True)
    server = fastmcp.FastMCP("chandler")
    server.add_provider(provider)
    server.add_extension(extension.SkillsExtension(providers=[provider]))
    csp = apps.ResourceCSP(connect_domains=["https://knots.example"])
    server.tool(app=apps.AppConfig(resource_uri=URI))(knots)
    server.resource(URI, app=apps.AppConfig(csp=csp))(page)
    return server


if __name__ == "__main__":
    shop(Path(sys.argv[2])).run(transport=sys.argv[1], show_banner=False)
