"""Which addresses of a server's documents may be used."""

import sys
import webbrowser

import pytest

from inspector.auth.addresses import canonical, covers, open_browser, out_of_reach, refusal, same_origin, split, tunnel
from inspector.protocol.url_hosts import is_link_local, is_loopback, is_private

SERVER = "https://api.example/mcp"
SPELT = (
    *("127.1", "2130706433", "0x7f.1", "0x7F000001", "0177.0.0.1", "017700000001", "127.0.0.1.", "LOCALHOST."),
    *("\uff11\uff12\uff17.0.0.\uff11", "127\u30020\u30020\u30021", "\uff4c\uff4f\uff43alhost", "10.1", "167772161"),
    *("0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]"),
    *("169.254.43518", "[fd00::1]", "a.localhost"),
)
"""Hosts in private networks, as a resolver reads them."""


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
def test_non_web_url_is_refused_by_name(url: str) -> None:
    assert split(url) is None
    assert "not a web URL" in refusal(url, SERVER)


def test_plain_http_leads_only_to_this_machine_or_to_the_host_that_was_named() -> None:
    assert "not encrypted" in refusal("http://as.example/token", SERVER)
    assert refusal("http://localhost:9/token", "http://localhost:3000/mcp") == ""
    assert refusal("http://10.0.0.7:9/token", "http://10.0.0.7:3000/mcp") == ""
    assert "not encrypted" in refusal("http://10.0.0.8/token", "http://10.0.0.7:3000/mcp")


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "10.1.2.3", "192.168.0.1", "127.0.0.1", "localhost", "[::1]", *SPELT]
)
def test_private_network_is_refused_for_public_server(host: str) -> None:
    assert "private network" in refusal(f"https://{host}/x", SERVER)
    assert bool(refusal(f"https://{host}/x", "http://127.0.0.1:3000/mcp")) is is_link_local(host)


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "134744072", "as.example", "127.example", "[2606:4700::1111]", "1.2.3.4.5"]
)
def test_a_host_of_the_open_network_is_neither_private_nor_this_machine(host: str) -> None:
    assert not is_private(host)
    assert not is_loopback(host)
    assert refusal(f"https://{host}/x", SERVER) == ""


def test_loopback_is_recognized_in_every_spelling() -> None:
    assert all(map(is_loopback, ("127.1", "2130706433", "\uff11\uff12\uff17.0.0.1", "::ffff:127.0.0.1", "localhost.")))
    assert not any(map(is_loopback, ("10.1", "0.0.0.0", "128.0.0.1", "localhost.example")))


@pytest.mark.parametrize("url", ["https://as.example%2eevil.example/", "https://127%2e0.0.1/", "https://a\\b.example/"])
def test_a_host_that_two_programs_may_read_in_two_ways_is_refused(url: str) -> None:
    assert "not a web URL" in refusal(url, SERVER)


@pytest.mark.parametrize(
    "host",
    [
        *(f"{'0' * 21}177.0.0.1", f"0x{'0' * 40}7f000001", f"{'0' * 5000}177.1", f"127.{'0' * 30}.0.1"),
        *("[::127.0.0.1]", "[::7f00:1]", "[::10.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]"),
        *("[64:ff9b:1::10.0.0.1]", "[64:ff9b:1:abcd::a00:1]", "100.64.0.1", "100.127.255.254", "[::ffff:100.64.0.1]"),
        *("[2002:7f00:1::]", "[2001:0:1:1::80ff:fffe]", "224.0.0.1", "198.18.0.1", "[fec0::1]", "[::]"),
    ],
)
def test_refusal_of_a_private_address_in_any_spelling_names_the_network(host: str) -> None:
    assert is_private(host.strip("[]"))
    assert "private network" in refusal(f"https://{host}/x", SERVER)


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0xa9fea9fe"])
@pytest.mark.parametrize("server", ["http://127.0.0.1:3000/mcp", "http://localhost/mcp", "https://10.0.0.1/mcp"])
def test_link_local_refusal_names_the_reason(host: str, server: str) -> None:
    assert "local link" in refusal(f"https://{host}/x", server)
    assert refusal(f"https://{host}/x", f"https://{host}/mcp") == ""


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
        ("http://[", "https://api.example/mcp", False),
    ],
)
def test_a_resource_covers_itself_and_what_is_below_it(resource: str, url: str, expected: bool) -> None:
    assert covers(resource, url) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("https://a.example/x", "https://A.example:443/y", True),
        ("http://a.example", "http://a.example:80", True),
        ("https://a.example", "http://a.example", False),
        ("https://a.example", "https://a.example:444", False),
        ("https://a.example", "https://b.example", False),
    ],
)
def test_same_origin_ignores_the_default_port_and_case(one: str, other: str, expected: bool) -> None:
    assert same_origin(one, other) is expected


def test_the_canonical_address_has_no_fragment_and_no_lone_slash() -> None:
    assert canonical("HTTPS://Api.Example/#x") == "https://api.example"
    assert canonical("https://api.example/MCP/?a=B") == "https://api.example/MCP/?a=B"


def test_a_terminal_on_another_machine_opens_nothing() -> None:
    assert "another machine" in out_of_reach({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "DISPLAY": ":0"})


def test_without_a_display_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert "display" in out_of_reach({})
    assert out_of_reach({"WAYLAND_DISPLAY": "wayland-0"}) == ""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert out_of_reach({}) == ""


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "-flag", "", "http://a b/", "https://"])
def test_non_web_url_is_not_opened_in_the_browser(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert not open_browser(url)
    assert opened == []


def test_an_address_is_handed_over_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def take(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", take)
    url = "https://as.example/authorize?a=$(reboot)&b=`id`"
    assert open_browser(url)
    assert opened == [url]


@pytest.mark.parametrize(
    ("env", "line"),
    [
        ({"USER": "ann", "SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}, "ssh -N -L 7:127.0.0.1:7 ann@10.0.0.2"),
        ({"USER": "ann", "SSH_CONNECTION": "::1 5 ::1 2222"}, "ssh -N -L 7:127.0.0.1:7 -p 2222 ann@::1"),
        ({}, "ssh -N -L 7:127.0.0.1:7 USER@HOST"),
        ({"USER": "-oProxyCommand=x", "SSH_CONNECTION": "a b c;id 22"}, "ssh -N -L 7:127.0.0.1:7 USER@HOST"),
    ],
)
def test_the_line_for_the_other_machine_holds_nothing_that_acts(env: dict[str, str], line: str) -> None:
    assert tunnel(7, env=env) == line
