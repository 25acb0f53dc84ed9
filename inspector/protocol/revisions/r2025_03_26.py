"""2025-03-26: Streamable HTTP, batches, annotations, audio."""

from inspector.protocol.revisions._shape import Carriage
from inspector.protocol.revisions.r2024_11_05 import R2024_11_05

R2025_03_26 = R2024_11_05.evolve(
    "2025-03-26",
    page="https://modelcontextprotocol.io/specification/2025-03-26",
    changelog="https://modelcontextprotocol.io/specification/2025-03-26/changelog",
    carriage=Carriage.SESSIONS,
    batches=True,
    resumable=True,
    add={
        "content_types": ["audio"],
        "features": ["tool annotations", "progress message", "completions capability", "authorization"],
    },
)
