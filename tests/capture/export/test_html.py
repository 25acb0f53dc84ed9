"""One page for a browser: nothing is loaded, nothing that a server said is more than text; Chromium shows it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from inspector.capture.export.html import page
from tests.capture.export.staging import all_of, names_of, secretive, written
from tests.viewmodels.tape import Tape

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EVIL = '</script><script>document.title="owned"</script><img src=x onerror="document.title=1"><!-- \u202e'


def hostile() -> bytes:
    tape = Tape()
    opening = {"protocolVersion": "1", "capabilities": {}, "serverInfo": {"name": EVIL, "version": EVIL}}
    tape.to_server({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    tape.from_server({"jsonrpc": "2.0", "id": 1, "result": opening})
    tape.to_server({"jsonrpc": "2.0", "id": 2, "method": EVIL, "params": {"name": EVIL, EVIL: [EVIL, {EVIL: 1}]}})
    tape.stderr(EVIL.encode())
    tape.stderr(b"]}</SCRIPT\xff")
    data = b"".join(page(all_of(tape.journal)))
    tape.journal.close()
    return data


def rows(data: bytes) -> list[dict[str, object]]:
    """The entries that stand in a page."""
    text = data.decode()
    begin = text.index('id="data">') + len('id="data">')
    entries: list[dict[str, object]] = json.loads(text[begin : text.index("</script>", begin)])["entries"]
    return entries


def test_what_was_said_can_t_leave_its_place() -> None:
    data = hostile()
    text = data.decode()
    assert len(re.findall(r"(?i)</?script", text)) == 4, "ours alone"
    assert text.count("<img") == 0
    assert rows(data)[2]["title"] == f"{EVIL} {EVIL}"
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy.group(1).startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.group(1)
    assert not re.search(r"<[^>]*(src|href)\s*=", text.partition('id="data">')[0])


def test_every_entry_is_there_and_credentials_are_not() -> None:
    assert len(rows(written(page, "lighthouse"))) >= 60
    journal = secretive()
    data = b"".join(page(all_of(journal)))
    assert names_of(data) == []
    assert [each["kind"] for each in rows(data)][:4] == ["event", "http", "request", "http"]
    journal.close()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_shows_it_and_nothing_acts(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(hostile())
    words = [CHROMIUM or "", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    ran = subprocess.run([*words, "--dump-dom", file.as_uri()], capture_output=True, timeout=60, check=True)
    dom = ran.stdout.decode()
    assert "4 of 4" in dom or "5 of 5" in dom, "the script ran: the policy lets it"
    assert "<title>MCP session with &lt;/script&gt;" in dom, "no other did"
    assert '<div class="row' in dom
    assert "‹U+202E›" in dom
    assert "<img" not in re.sub(r"(?s)<script.*?</script>", "", dom)
