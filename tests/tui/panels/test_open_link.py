"""A link is opened only if it leads to the web, and only where a browser is."""

import pytest

from inspector.protocol.questions import Kind, Question
from inspector.tui.panels.open_link import open_link


def link(url: str) -> Question:
    return Question(Kind.ELICITATION, {"mode": "url", "url": url}, 1, 1, 0)


@pytest.mark.parametrize(
    ("url", "remote", "has_browser", "went", "told"),
    [
        ("https://pay.example/x", False, True, ["https://pay.example/x"], "Opened in the browser: pay.example"),
        ("https://pay.example/x", False, False, ["https://pay.example/x"], "No browser was found"),
        ("https://pay.example/x", True, True, [], "on another machine"),
        ("file:///etc/passwd", False, True, [], "Not opened: "),
        ("", False, True, [], "Not opened: "),
    ],
)
def test_where_it_goes_and_what_is_said(
    url: str, remote: bool, has_browser: bool, went: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    said: list[str] = []
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    if remote:
        monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")

    def browser(url: str) -> bool:
        tried.append(url)
        return has_browser

    monkeypatch.setattr("webbrowser.open", browser)
    done = open_link(link(url), lambda what, grave: said.append(what))
    assert (tried, done) == (went, bool(went) and has_browser)
    assert told in said[0]
