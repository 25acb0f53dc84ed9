"""The HTML of an app, with the official SDK put into it."""

import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SDK = ROOT / ".test-servers/apps/node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js"
SDK_APP, SDK_TABLE = HERE / "sdk_app.html", HERE / "sdk_table.html"
_PLACE = "/* the SDK is put here */"


def document(path: Path) -> str:
    """Return an app's HTML. The SDK is an inline module: its exports become names of the app's own script."""
    text = path.read_text()
    if _PLACE not in text:
        return text
    code = SDK.read_text()
    found = re.search(r"export\s*\{([^}]*)\};?\s*$", code)
    assert found is not None, "the bundle ends with its exports"
    names = [[name.strip() for name in pair.split(" as ")] for pair in found[1].split(",")]
    exports = ", ".join(f"{name[-1]}: {name[0]}" for name in names)
    code = f"const SDK = (() => {{ {code[: found.start()]}; return {{ {exports} }}; }})();\n"
    code += "const { App, applyDocumentTheme, applyHostStyleVariables } = SDK;"
    return text.replace(_PLACE, code.replace("</script", "<\\/script"))
