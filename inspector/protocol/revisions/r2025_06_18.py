"""2025-06-18: structured results, elicitation, resource links, the version header; batches are gone."""

from inspector.protocol.revisions._shape import StructuredContent
from inspector.protocol.revisions.r2025_03_26 import R2025_03_26

R2025_06_18 = R2025_03_26.evolve(
    "2025-06-18",
    page="https://modelcontextprotocol.io/specification/2025-06-18",
    changelog="https://modelcontextprotocol.io/specification/2025-06-18/changelog",
    batches=False,
    version_header=True,
    structured=StructuredContent.OBJECT,
    add={
        "server_requests": ["elicitation/create"],
        "input_requests": ["elicitation/create"],
        "content_types": ["resource_link"],
        "features": ["title", "completion context", "lastModified", "_meta on items"],
    },
)
