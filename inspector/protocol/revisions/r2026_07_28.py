"""2026-07-28: stateless. No handshake, session or server requests; results contain requests for input."""

from inspector.protocol.revisions._shape import (
    Cancel,
    Carriage,
    Era,
    LogLevel,
    Stamp,
    StructuredContent,
    SubscriptionMethod,
    TaskSupport,
)
from inspector.protocol.revisions.r2024_11_05 import JSONRPC_ERRORS
from inspector.protocol.revisions.r2025_11_25 import R2025_11_25

R2026_07_28 = R2025_11_25.evolve(
    "2026-07-28",
    page="https://modelcontextprotocol.io/specification/2026-07-28",
    changelog="https://modelcontextprotocol.io/specification/2026-07-28/changelog",
    era=Era.MODERN,
    carriage=Carriage.STATELESS,
    stamp=Stamp.META,
    watch=SubscriptionMethod.LISTEN,
    log_level=LogLevel.META,
    cancel=Cancel.CLOSE_STREAM,
    tasks=TaskSupport.EXTENSION,
    structured=StructuredContent.ANY,
    routing_headers=True,
    resumable=False,
    result_type=True,
    server_requests=frozenset(),
    cache_hints=frozenset(
        {
            "server/discover",
            "tools/list",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
            "resources/read",
        }
    ),
    error_names=JSONRPC_ERRORS
    | {-32020: "header mismatch", -32021: "missing required client capability", -32022: "unsupported protocol version"},
    add={
        "client_requests": ["server/discover", "subscriptions/listen"],
        "server_notifications": ["notifications/subscriptions/acknowledged"],
        "features": ["extensions", "trace context"],
    },
    drop={
        "client_requests": [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
            "tasks/get",
            "tasks/result",
            "tasks/list",
            "tasks/cancel",
        ],
        "client_notifications": [
            "notifications/initialized",
            "notifications/progress",
            "notifications/roots/list_changed",
            "notifications/tasks/status",
        ],
        "server_notifications": ["notifications/tasks/status", "notifications/elicitation/complete"],
    },
)
