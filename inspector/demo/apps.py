"""The demo's app: a page that a host may show beside a tool's result, and what ties it to the tool.

Source: MCP Apps (io.modelcontextprotocol/ui), 2026-01-26.
"""

from inspector.demo.call import Json

URI = "ui://gull-rock/tide"
TYPE = "text/html;profile=mcp-app"
OF_TOOL: Json = {"ui": {"resourceUri": URI, "visibility": ["model", "app"]}}
"""What a tool's `_meta` says of it."""
_META: Json = {
    "ui": {
        "csp": {"connectDomains": ["https://tides.gull-rock.example"], "resourceDomains": []},
        "permissions": {"geolocation": {}},
        "prefersBorder": True,
    }
}
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>The tide at Gull Rock</title>
<style>
  body { font: 1rem/1.4 serif; background: #102a43; color: #f0f4f8; }
  .water { stroke: #62b0e8; fill: none; stroke-width: 2; }
</style>
</head>
<body>
<h1>The tide</h1>
<svg viewBox="0 0 240 60"><path class="water" id="curve" d=""/></svg>
<script>
  // The host hands over the tool's result; the curve is drawn from its heights.
  window.addEventListener("message", (event) => {
    if (event.data?.method !== "ui/notifications/tool-result") return;
    const metres = event.data.params.structuredContent?.metres ?? [];
    const points = metres.map((height, hour) => `${hour * 10},${60 - height * 12}`);
    document.getElementById("curve").setAttribute("d", "M" + points.join("L"));
  });
</script>
</body>
</html>
"""


def read(uri: str) -> list[Json] | None:
    """The page; None for another URI."""
    if uri != URI:
        return None
    return [{"uri": uri, "mimeType": TYPE, "text": _PAGE, "_meta": _META}]
