"""HTTP requests as a shell script: a real shell reads them as they were."""

import subprocess

from inspector.viewmodels.exports.curl import commands
from tests.capture.export.staging import PLANTED, REQUEST, all_of, names_of, secretive, written


def test_a_shell_hands_curl_what_was_sent(tmp_path: object) -> None:
    journal = secretive()
    data = b"".join(commands(all_of(journal)))
    assert names_of(data) == []
    shim = b'curl() { for word in "$@"; do printf "%s\\0" "$word"; done; }\n'
    env = {
        "MCP_SECRET_AUTHORIZATION": PLANTED[0],
        "MCP_SECRET_MCP_SESSION_ID": "s",
        "MCP_SECRET_API_KEY": "k",
        "MCP_SECRET_USERINFO": "u:p",
        "PATH": "/bin:/usr/bin",
    }
    ran = subprocess.run(["sh"], input=shim + data, env=env, capture_output=True, check=True)
    words = ran.stdout.split(b"\0")
    assert words[words.index(b"--data-raw") + 1] == REQUEST
    assert f"Authorization: Bearer {PLANTED[0]}".encode() in words
    assert b"X-Plain: it's" in words
    assert b"https://u:p@example.com/mcp?api_key=k&q=1" in words
    assert names_of(b"".join(commands(all_of(journal, keep_secrets=True))))
    journal.close()


def test_without_http_there_is_nothing() -> None:
    assert written(commands, "lighthouse") == b""
    assert written(commands, "harbour").count(b"\ncurl ") > 3
