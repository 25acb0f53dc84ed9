"""Export to Markdown: foreign text stays text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from inspector.features.export.markdown import report
from tests.features.export.staging import all_of, names_of, secretive, written
from tests.present.tape import Tape
from tests.tui.staging import handshake

_EVIL = st.sampled_from(
    ["```", "`", "\n# x", "|", "![x](http://e.x/p.png)", "<img src=x>", "[a](b)", "\\", "\x1b[2J", "\r", "@all", "é"]
)


def test_markdown_report_has_server_requests_and_failures() -> None:
    found = written(report, "wreck").decode()
    assert "| server | `gull-rock-lighthouse 1.8.71` |" in found
    assert "| 16 | 2.920 | client | `tools/call` | `long_running` | lost | 2.181 s |" in found
    assert "- entry 16, `tools/call` `long_running`: lost: `the server was ended by SIGSEGV" in found
    assert "- entry 25: `RuntimeError: the bearing has seized" in found


def test_credentials_in_urls_are_masked() -> None:
    journal = secretive()
    assert names_of(b"".join(report(all_of(journal)))) == []


@given(st.lists(_EVIL, min_size=1, max_size=6).map("".join))
def test_hostile_text_stays_code_in_markdown(said: str) -> None:
    tape = Tape()
    handshake(tape).call(3, said, {"q": said})
    tape.stderr(said.encode())
    tape.error(3, -1, said)
    found = b"".join(report(all_of(tape.journal))).decode()
    tape.journal.close()
    assert "\x1b" not in found
    assert sum(line.startswith("#") for line in found.split("\n")) == 4, "no heading but ours"
    bare = re.sub(r"(?ms)^  (`{3,})json\n.*?^  \1$", "", found)
    bare = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", bare)
    assert not re.search(r"[<\[\]!@`]|http", bare), bare
