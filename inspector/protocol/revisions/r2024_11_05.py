"""The first revision, in full."""

from inspector.protocol.revisions._shape import Carriage, Era, Revision

JSONRPC_ERRORS = {
    -32700: "parse error",
    -32600: "invalid request",
    -32601: "method not found",
    -32602: "invalid params",
    -32603: "internal error",
}

R2024_11_05 = Revision(
    date="2024-11-05",
    page="https://modelcontextprotocol.io/specification/2024-11-05",
    changelog="",
    era=Era.LEGACY,
    carriage=Carriage.LEGACY_SSE,
    client_requests=frozenset(
        {
            "initialize",
            "ping",
            "tools/list",
            "tools/call",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "prompts/list",
            "prompts/get",
            "completion/complete",
            "logging/setLevel",
        }
    ),
    server_requests=frozenset({"ping", "sampling/createMessage", "roots/list"}),
    client_notifications=frozenset(
        {
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/roots/list_changed",
        }
    ),
    server_notifications=frozenset(
        {
            "notifications/cancelled",
            "notifications/progress",
            "notifications/message",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/resources/updated",
        }
    ),
    content_types=frozenset({"text", "image", "resource"}),
    error_names=JSONRPC_ERRORS | {-32002: "resource not found"},
    input_requests=frozenset({"sampling/createMessage", "roots/list"}),
)
