"""Which addresses of a server's documents may be used."""

import pytest

from inspector.auth.addresses import canonical, covers, is_private, refusal, split

SERVER = "https://api.example/mcp"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "-oProxyCommand=x",
        "--help",
        " https://x.example/",
        "https://x.example/\n",
        "https://user:pass@x.example/",
        "https://",
        "https://x.example:99999/",
        "",
        "//x.example/authorize",
        "vbscript:x",
        "https://x.example/$(id)\x00",
    ],
)
def test_what_is_no_address_of_the_web_is_refused_with_its_name(url: str) -> None:
    assert split(url) is None
    assert "no address of the web" in refusal(url, SERVER)


def test_plain_http_leads_only_to_this_machine_or_to_the_host_that_was_named() -> None:
    assert "not encrypted" in refusal("http://as.example/token", SERVER)
    assert refusal("http://localhost:9/token", "http://localhost:3000/mcp") == ""
    assert refusal("http://10.0.0.7:9/token", "http://10.0.0.7:3000/mcp") == ""
    assert "not encrypted" in refusal("http://10.0.0.8/token", "http://10.0.0.7:3000/mcp")


@pytest.mark.parametrize("host", ["169.254.169.254", "10.1.2.3", "192.168.0.1", "127.0.0.1", "localhost", "[::1]"])
def test_a_server_of_the_open_network_leads_nobody_into_a_private_one(host: str) -> None:
    assert "private network" in refusal(f"https://{host}/x", SERVER)
    assert refusal(f"https://{host}/x", "http://127.0.0.1:3000/mcp") == ""


def test_a_name_is_private_only_if_it_must_be() -> None:
    assert [is_private(host) for host in ("as.example", "localhost", "a.localhost", "fe80::1%eth0")] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("resource", "url", "expected"),
    [
        ("https://api.example/mcp", "https://api.example/mcp", True),
        ("https://API.example/mcp/", "https://api.example/mcp", True),
        ("https://api.example", "https://api.example/mcp", True),
        ("https://api.example/", "https://api.example/mcp?x=1", True),
        ("https://api.example/m", "https://api.example/mcp", False),
        ("https://api.example/mcp/x", "https://api.example/mcp", False),
        ("https://evil.example/mcp", "https://api.example/mcp", False),
        ("http://api.example/mcp", "https://api.example/mcp", False),
        ("https://api.example:444/mcp", "https://api.example/mcp", False),
    ],
)
def test_a_resource_covers_itself_and_what_is_below_it(resource: str, url: str, expected: bool) -> None:
    assert covers(resource, url) is expected


def test_the_canonical_address_has_no_fragment_and_no_lone_slash() -> None:
    assert canonical("HTTPS://Api.Example/#x") == "https://api.example"
    assert canonical("https://api.example/MCP/?a=B") == "https://api.example/MCP/?a=B"
