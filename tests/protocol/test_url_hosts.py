"""URLs that a server names for itself: which look like its address behind a proxy."""

import pytest

from inspector.protocol.url_hosts import is_inside


@pytest.mark.parametrize(
    ("named", "reached"),
    [
        ("http://mcp.acme.example/mcp", "https://mcp.acme.example/mcp"),
        ("https://mcp.acme.example:8080/mcp", "https://mcp.acme.example/mcp"),
        ("http://127.0.0.1:10105/message", "https://mcp.acme.example/sse"),
        ("http://127.0.0.1:10105/message", "http://127.0.0.1:4017/sse"),
        ("http://0.0.0.0:5025/message", "https://mcp.acme.example/sse"),
        ("http://10.2.3.4/mcp", "https://mcp.acme.example/mcp"),
        ("http://weather:8080/mcp", "https://mcp.acme.example/mcp"),
        ("http://weather.tools.svc.cluster.local/mcp", "https://mcp.acme.example/mcp"),
        ("http://mcp.internal:8000/mcp", "http://127.0.0.1:1/mcp"),
    ],
)
def test_is_inside_address_behind_a_proxy_is_true(named: str, reached: str) -> None:
    assert is_inside(named, reached)


@pytest.mark.parametrize(
    ("named", "reached"),
    [
        ("https://mcp.acme.example/other", "https://mcp.acme.example/mcp"),
        ("https://gateway.acme.example/mcp", "https://app.acme.example/mcp"),
        ("https://mcp.acme.example/mcp", "http://127.0.0.1:1/mcp"),
        ("https://mcp.acme.example/mcp", "http://mcp.acme.example/mcp"),
        ("http://localhost:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("/messages", "https://mcp.acme.example/sse"),
        ("https:mcp.acme.example/mcp", "https://mcp.acme.example/mcp"),
        ("http://[::1/mcp", "https://mcp.acme.example/mcp"),
        ("https://mcp.acme.example:99999/", "https://mcp.acme.example/mcp"),
    ],
)
def test_is_inside_other_address_is_false(named: str, reached: str) -> None:
    assert not is_inside(named, reached)
