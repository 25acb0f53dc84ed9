"""What gives access is known by its name, wherever it stands."""

import pytest

from inspector.protocol.credentials import MASK, command_without_credentials, without_credentials


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["node", "x.js", "--port=1", "-v"], ["node", "x.js", "--port=1", "-v"]),
        (
            ["x", "--token=abc def", "--api-key", "abc", "--api-key", "-v"],
            ["x", f"--token={MASK}", "--api-key", MASK, "--api-key", "-v"],
        ),
        (["env", "DB_PASSWORD=abc", "MODE=b", "x"], ["env", f"DB_PASSWORD={MASK}", "MODE=b", "x"]),
        (["docker", "run", "-e", "API_KEY=abc", "img"], ["docker", "run", "-e", f"API_KEY={MASK}", "img"]),
        (
            ["x", "--header", "Authorization: Bearer abc"],
            ["x", "--header", f"Authorization: Bearer {MASK} (3 characters)"],
        ),
        (["x", "--header", "Accept: a/b"], ["x", "--header", "Accept: a/b"]),
        (["x", "https://u:abc@h/?token=abc&b=1"], ["x", f"https://{MASK}@h/?token={MASK}&b=1"]),
        (["sh", "-c", "cd y; TOKEN='abc' KEY=abc run a=b"], ["sh", "-c", f"cd y; TOKEN={MASK} KEY={MASK} run a=b"]),
        (["keyboard", "compass=1", "--author", "me"], ["keyboard", "compass=1", "--author", "me"]),
        ([], []),
    ],
)
def test_a_command_is_shown_without_what_gives_access(argv: list[str], shown: list[str]) -> None:
    assert list(command_without_credentials(argv)) == shown


def test_what_is_masked_already_stays() -> None:
    once = command_without_credentials(["x", "--token=abc", "-H", "Cookie: a=b", "https://u:p@h/?key=c"])
    assert command_without_credentials(once) == once
    assert "abc" not in " ".join(once)


def test_urls_within_a_sentence_lose_what_gives_access_and_nothing_else() -> None:
    said = "http://me:pw@h/a?api_key=abc leads on to /b?api_key=abc (307), and me@h stays, as does a=b"
    assert without_credentials(said) == (
        f"http://{MASK}@h/a?api_key={MASK} leads on to /b?api_key={MASK} (307), and me@h stays, as does a=b"
    )
