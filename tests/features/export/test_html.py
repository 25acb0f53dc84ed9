"""Export to HTML: nothing is loaded, and foreign text stays text, also in Chromium."""

import json
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from inspector.features.export.html import SCRIPT, STYLE, page, shown
from tests.features.export.staging import all_of, names_of, secretive, written
from tests.present.tape import Tape
from tests.waiting import PATIENCE_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NODE = shutil.which("node")
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


def test_hostile_text_stays_inside_the_html_data() -> None:
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


def test_invisible_characters_are_escaped_in_html_titles() -> None:
    tape = Tape()
    opening = {
        "serverInfo": {"name": "a\u200bb\u202ec\U000e0041d\ufe0fe\u3164", "version": "1"},
        "protocolVersion": "1",
    }
    tape.to_server({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    tape.from_server({"jsonrpc": "2.0", "id": 1, "result": opening | {"capabilities": {}}})
    data = b"".join(page(all_of(tape.journal))).decode()
    tape.journal.close()
    assert "<title>MCP session with a‹U+200B›b‹U+202E›c‹U+E0041›d‹U+FE0F›e‹U+3164›</title>" in data


_PREPENDED = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Of the format characters those that are seen."""


def hidden() -> list[str]:
    """Every character that acts or hides, as Unicode has it, and those that only look empty."""
    acting = {code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    empty = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F, 0x2800, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
    return [chr(code) for code in sorted((acting | empty | {0xE0100, 0xE01EF}) - _PREPENDED - {9, 10})]


def test_every_invisible_character_is_shown_and_no_other() -> None:
    assert [each for each in hidden() if not re.fullmatch("‹U\\+[0-9A-F]{4,6}›", shown(each))] == []
    plain = "a\tb\nc ä ß λ ж 漢 字 🦊 → ✓ \u00a0 \u3000 ؀"
    assert shown(plain) == plain


@pytest.mark.skipif(NODE is None, reason="no Node.js here")
def test_the_script_of_the_page_shows_the_same_characters() -> None:
    (line,) = re.findall(r"const shown = .*?;\n", SCRIPT, re.DOTALL)
    program = (
        line
        + "console.log(JSON.parse(require('fs').readFileSync(0)).every((c) => shown(c) !== c), shown('a\\u{e0041}b'))"
    )
    ran = subprocess.run(
        [NODE or "", "-e", program], input=json.dumps(hidden()).encode(), capture_output=True, check=True
    )
    assert ran.stdout.decode().split() == ["true", "a‹U+E0041›b"]


def test_every_entry_is_there_and_credentials_are_not() -> None:
    assert len(rows(written(page, "lighthouse"))) >= 60
    journal = secretive()
    data = b"".join(page(all_of(journal)))
    assert names_of(data) == []
    assert [each["kind"] for each in rows(data)][:4] == ["event", "http", "request", "http"]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_shows_it_and_nothing_acts(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(hostile())
    words = [CHROMIUM or "", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    ran = subprocess.run([*words, "--dump-dom", file.as_uri()], capture_output=True, timeout=PATIENCE_S, check=True)
    dom = ran.stdout.decode()
    assert "4 of 4" in dom or "5 of 5" in dom, "the script ran: the policy lets it"
    assert "<title>MCP session with &lt;/script&gt;" in dom, "no other did"
    assert '<div class="row' in dom
    assert "‹U+202E›" in dom
    assert "<img" not in re.sub(r"(?s)<script.*?</script>", "", dom)


def test_nothing_is_loaded_or_made_markup_of() -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|setTimeout", SCRIPT)
    assert not re.search(r"fetch|XMLHttp|WebSocket|import|https?:|localStorage|\.src|\.href", SCRIPT)
    assert not re.search(r"url\(|@import|https?:", STYLE)
    assert "</" not in SCRIPT, "it would end itself"
