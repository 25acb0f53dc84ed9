"""Where a link leads, and which links are never opened."""

import pytest

from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.links import link_section, read_link


def shown(url: str) -> str:
    return "\n".join(map(plain, section_lines(link_section(read_link(url)))))


@pytest.mark.parametrize(
    ("url", "host", "opened"),
    [
        ("https://example.com/pay?id=1#x", "example.com", "https://example.com/pay?id=1#x"),
        ("HTTP://Example.com:8080/a", "example.com:8080", "http://example.com:8080/a"),
        ("https://[::1]:9/", "[::1]:9", "https://[::1]:9/"),
        ("https://bücher.example/ü", "xn--bcher-kva.example", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://good.example@evil.example/", "evil.example", "https://evil.example/"),
        ("https://a.example/-x;rm%20-rf", "a.example", "https://a.example/-x;rm%20-rf"),
    ],
)
def test_a_web_address_is_opened_at_the_host_that_is_shown(url: str, host: str, opened: str) -> None:
    link = read_link(url)
    assert (link.host, link.openable, link.why_not) == (host, opened, "")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "names no URL"),
        ("javascript:alert(1)", "this is javascript"),
        ("file:///etc/passwd", "this is file"),
        ("--help", "neither"),
        ("https://", "no host"),
        ("https://a b/", "blanks"),
        ("https://a.example/\x1b[31m", "control characters"),
        ("https://good.example\\@evil.example", "backslash"),
        ("https://a.example:x/", "no valid URL"),
        ("https://[::1/", "no valid URL"),
        ("https://" + "a" * 9000, "longer than"),
        ("https://" + "ü" * 80 + ".example", "written down"),
    ],
)
def test_anything_else_is_not_opened_and_says_why(url: str, why: str) -> None:
    link = read_link(url)
    assert why in link.why_not
    assert link.openable == ""
    assert "not opened" in shown(url)


def test_what_to_beware_of_is_said() -> None:
    assert "opens at  xn--80ak6aa92e.example" in shown("https://аррӏе.example/")
    assert "letters of another alphabet" in shown("https://xn--80ak6aa92e.example/")
    assert "no host; it is not sent" in shown("https://bank.example@evil.example/")
    assert "not encrypted" in shown("http://a.example/")
    assert "beware" not in shown("https://a.example/")


def test_the_whole_url_is_shown_and_nothing_in_it_acts() -> None:
    url = "https://a.example/" + "x" * 3000 + "?end"
    assert url in shown(url)
    assert "\x1b" not in shown("https://a.example/\x1b]8;;x")
