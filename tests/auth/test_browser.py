"""The browser: within reach or not, and what is handed to it."""

import sys
import webbrowser

import pytest

from inspector.auth.browser import open_browser, out_of_reach, tunnel


def test_a_terminal_on_another_machine_opens_nothing() -> None:
    assert "another machine" in out_of_reach({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22", "DISPLAY": ":0"})


def test_without_a_display_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert "display" in out_of_reach({})
    assert out_of_reach({"WAYLAND_DISPLAY": "wayland-0"}) == ""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert out_of_reach({}) == ""


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "-flag", "", "http://a b/", "https://"])
def test_what_is_no_address_of_the_web_is_not_opened(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert tunnel(7, env) == line
