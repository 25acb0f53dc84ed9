"""The demo's skills and its app.

`lamp-lighting` is correct, `night-reports` is generated at each read, and in `forged-chart` the digest of a file is
wrong. Source: extension io.modelcontextprotocol/skills.
"""

import hashlib
from pathlib import Path

from inspector.demo.call import INVALID_PARAMS, DemoError, DemoRequest, Json

EXTENSION = "io.modelcontextprotocol/skills"

_TRIM = '''\
"""How many millimetres to take off a wick."""

import sys

hours = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
print(round(0.4 * hours, 1))
'''
_PROMISED, _SERVED = b"buoy,fathoms\nfirst,9\nsecond,7\n", b"buoy,fathoms\nfirst,2\nsecond,1\n"

_LAMP_ROOT, _REPORTS_ROOT = "skill://keepers/lamp-lighting", "skill://keepers/night-reports"
_CHART_ROOT = "skill://strangers/forged-chart"
_SKILLS = Path(__file__).with_name("skills")
_FILES: dict[str, tuple[str, bytes]] = {
    f"{_LAMP_ROOT}/SKILL.md": ("text/markdown", (_SKILLS / "lamp-lighting/SKILL.md").read_bytes()),
    f"{_LAMP_ROOT}/references/oils.md": ("text/markdown", (_SKILLS / "lamp-lighting/references/oils.md").read_bytes()),
    f"{_LAMP_ROOT}/scripts/trim.py": ("text/x-python", _TRIM.encode()),
    f"{_REPORTS_ROOT}/SKILL.md": ("text/markdown", (_SKILLS / "night-reports/SKILL.md").read_bytes()),
    f"{_CHART_ROOT}/SKILL.md": ("text/markdown", (_SKILLS / "forged-chart/SKILL.md").read_bytes()),
    f"{_CHART_ROOT}/soundings.csv": ("text/csv", _SERVED),
}
_PROMISES = {f"{_CHART_ROOT}/soundings.csv": _PROMISED}
URI = "ui://gull-rock/tide"
TYPE = "text/html;profile=mcp-app"

OF_TOOL: Json = {"ui": {"resourceUri": URI, "visibility": ["model", "app"]}}
"""`_meta` of the tool."""

_META: Json = {
    "ui": {
        "csp": {"connectDomains": ["https://tides.gull-rock.example"], "resourceDomains": []},
        "permissions": {"geolocation": {}},
        "prefersBorder": True,
    }
}

_PAGE = Path(__file__).with_name("tide.html").read_text("utf-8")


def _manifest(root: str) -> list[Json]:
    found = []
    for uri, (_, served) in _FILES.items():
        if uri.startswith(f"{root}/"):
            data = _PROMISES.get(uri, served)
            found.append({"uri": uri, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)})
    return found


def _entry(root: str, description: str, resources: list[Json] | str, **more: object) -> Json:
    frontmatter = {"name": root.rpartition("/")[2], "description": description, **more}
    return {"uri": f"{root}/SKILL.md", "frontmatter": frontmatter, "resources": resources}


def entries() -> list[Json]:
    """Return the skills, in a stable order."""
    return [
        _entry(
            _LAMP_ROOT,
            "How to light the lamp at dusk, and what to look at before. Use it when somebody asks for light.",
            _manifest(_LAMP_ROOT),
            license="CC0-1.0",
            metadata={"station": "Gull Rock", "steps": "4", "since": "1871-06-01"},
        ),
        _entry(_REPORTS_ROOT, "How to write the keeper's report. It is put together anew each night.", "dynamic"),
        _entry(
            _CHART_ROOT,
            "A chart whose soundings are not what was promised. Nothing may be done with it.",
            _manifest(_CHART_ROOT),
        ),
    ]


def read(uri: str) -> list[Json] | None:
    """Return the contents of a skill's file; None if there is none of that URI."""
    if uri not in _FILES:
        return None
    mime_type, data = _FILES[uri]
    return [{"uri": uri, "mimeType": mime_type, "text": data.decode()}]


async def get_skill(call: DemoRequest) -> Json:
    """Return one skill by the URI of its SKILL.md."""
    uri = call.text("uri")
    for entry in entries():
        if entry["uri"] == uri:
            return {"skill": entry}
    raise DemoError(INVALID_PARAMS, f"Unknown skill: {uri}", {"uri": uri})


def children(directory: str) -> list[Json]:
    """Return the direct children of a directory, as resources. Raises: DemoError for anything else."""
    below = [uri.removeprefix(f"{directory}/") for uri in _FILES if uri.startswith(f"{directory}/")]
    if not below or directory.endswith("/"):
        raise DemoError(INVALID_PARAMS, f"{directory} is not a directory", {"uri": directory})
    return [_child(directory, name, leaf=name in below) for name in dict.fromkeys(path.split("/")[0] for path in below)]


def _child(directory: str, name: str, *, leaf: bool) -> Json:
    uri = f"{directory}/{name}"
    return {"uri": uri, "name": name, "mimeType": _FILES[uri][0] if leaf else "inode/directory"}


# MCP Apps


def read_app(uri: str) -> list[Json] | None:
    """Return the page; None for another URI."""
    return None if uri != URI else [{"uri": uri, "mimeType": TYPE, "text": _PAGE, "_meta": _META}]
