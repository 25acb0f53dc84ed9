"""2025-11-25: icons, URL elicitation, tools in sampling, tasks (experimental), polling streams."""

from inspector.protocol.revisions._shape import TaskSupport
from inspector.protocol.revisions.r2025_06_18 import R2025_06_18

R2025_11_25 = R2025_06_18.evolve(
    "2025-11-25",
    page="https://modelcontextprotocol.io/specification/2025-11-25",
    changelog="https://modelcontextprotocol.io/specification/2025-11-25/changelog",
    tasks=TaskSupport.CORE,
    error_names=dict(R2025_06_18.error_names) | {-32042: "URL elicitation required"},
    add={
        "client_requests": ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"],
        "server_requests": ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"],
        "client_notifications": ["notifications/tasks/status"],
        "server_notifications": ["notifications/tasks/status", "notifications/elicitation/complete"],
        "features": ["icons", "URL elicitation", "tools in sampling", "polling streams", "tool name rule"],
    },
)
