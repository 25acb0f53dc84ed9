"""A story as Markdown: nothing that a server says can be more than text in it."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.story import story_of
from inspector.viewmodels.story_markdown import MOST_BYTES, markdown_of
from tests.tui.staging import handshake
from tests.viewmodels.tape import Tape

_EVIL = st.sampled_from(
    ["```", "`", "\n## x", "end", ";", "-->>", "%%{init}%%", "<script>", "|", "@all", "#1", "\x1b[2J", "é"]
)


def page(tape: Tape, n: int) -> str:
    story = story_of(tape.journal, n)
    assert story is not None
    return markdown_of(story, tape.journal)


def test_it_has_facts_a_diagram_and_the_messages(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"deep": True})
    tape.wait(30).stderr(b"a stone")
    tape.wait(3).answer(3, {"content": []})
    found = page(tape, call)
    assert found.startswith("# `tools/call dig`\n")
    assert "| outcome | `✓ ok` |" in found
    assert "    participant S as shop\n    C->>S: tools/call dig (+0.000 s)\n" in found
    assert "    Note right of S: +0.030 s stderr a stone\n" in found
    assert "    S-->>C: #10003; ok  tools/call dig (+0.033 s)\n```\n" in found
    assert '  ```json\n  {"jsonrpc":"2.0","id":3,"method":"tools/call"' in found


def test_a_large_message_is_cut_and_that_is_said(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"text": "x" * 3 * MOST_BYTES})
    assert f"*the first {MOST_BYTES:,} of " in page(tape, call)


@given(st.lists(_EVIL, min_size=1, max_size=6).map("".join))
def test_whatever_is_said_stays_within_its_place(said: str) -> None:
    tape = Tape()
    call = handshake(tape).call(3, said, {"q": said})
    tape.stderr(said.encode())
    tape.error(3, -1, said)
    found = page(tape, call)
    lines = found.split("\n")
    assert sum(line.startswith("#") for line in lines) == 3, "no heading but ours"
    begin, end = lines.index("```mermaid"), lines.index("```")
    for line in lines[begin + 4 : end]:
        label = line.partition(": ")[2] if line.lstrip().startswith(("C", "S")) else line
        assert not re.search(r"[;#%<>{}`|@]", re.sub(r"#\d+;", "", label)), line
        assert not re.search(r"\bend\b", re.sub(r"#101;nd", "", label), re.IGNORECASE), line
    assert all(line.startswith(("- ", "  ", "*", "")) for line in lines[end:])
    assert "\x1b" not in found
    fences = [line for line in lines if re.fullmatch(r"  `{3,}(json)?", line)]
    assert len(fences) % 2 == 0
    for opening, closing in zip(fences[::2], fences[1::2], strict=True):
        assert opening == closing + "json", "each block ends where we end it"
    json.dumps(found)
    tape.journal.close()
