"""The project speaks only of itself, and can be understood from this checkout alone.

That leaves out the paths of one machine, where packages come from, and how the work on it is organised. The
patterns are written so that none of them matches itself.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

_START = r"(?<![\w.#}\])-])"
_PATTERNS = {
    "a path of one machine": [
        _START + r"[/](work|farm|root|workspace)(?=[/\s\"'`),:;\]]|$)",
        r"[/]opt[/](wheels|pypi)",
    ],
    "where packages come from": [
        r"registry[.]npmjs",
        r"(?<![\w.])(test[.])?pypi[.]org[/]simple",
        r"files[.]pythonhosted",
        r"proxy[.]golang",
    ],
    "how the work is organised": [
        r"(?i)\b(later|earlier|next|previous|this|another) issues?\b",
        r"(?i)\bissues? #?\d+\b",
        r"(?i)\b(sub|co)-?agents?\b",
        r"(?i)\bco-authored[-]by\b",
        r"(?i)\b(ai|machine|llm)[- ](generated|written|authored)\b",
        r"(?i)\bas an ai\b",
        r"(?i)\bcoding (assistant|agent)s?\b",
        r"(?i)\b(session|round)s? of work\b",
        r"(?i)\bthe (task|design)('s)? (brief|folder|directory)\b",
        r"(?i)\b(my|our|the) brief\b(?! (pause|moment|look|silence))",
        r"(?i)\bdesign[/](architecture|habits|interaction|conventions)\b",
        r"(?i)\bclean[- ]room\b",
        r"(?i)\b(coordinator|orchestrator)'s\b",
    ],
}
_SKIP = {".git", ".venv", "venv", "node_modules", ".test-servers", "build", "dist", "__pycache__"}
_SKIP_ENDINGS = (".egg-info", "_cache", ".png", ".gz", ".mcpz", "snapshot_report.html")
_MOST = 4_000_000
"""Bytes: what is bigger is a recorded flood, not prose."""


def _files() -> Iterator[Path]:
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in _SKIP and not name.endswith(_SKIP_ENDINGS)]
        folders[:] = [name for name in folders if name != ".hypothesis"]
        yield from (Path(folder, name) for name in names if not name.endswith((*_SKIP_ENDINGS, ".pyc")))


def _faults(text: str) -> list[str]:
    return [
        f"{text.count(chr(10), 0, found.start()) + 1}: {what}: {found[0]!r}"
        for what, patterns in _PATTERNS.items()
        for pattern in patterns
        for found in re.finditer(pattern, text, re.MULTILINE)
    ]


def test_no_file_speaks_of_anything_but_the_project() -> None:
    seen = 0
    for file in _files():
        if file.stat().st_size <= _MOST:
            seen += 1
            assert not [f"{file.relative_to(ROOT)}:{fault}" for fault in _faults(file.read_text(errors="replace"))]
    assert seen > 20


# Each is spelled with a gap, which the test closes: this file must not say what it forbids.
_SAID = [
    "run it in |/wo|rk/main",
    "'|/ro|ot'",
    "file://|/ro|ot/notes.txt",
    "pip --find-links |/op|t/wheels",
    "https://registry|.npm|js.org/left-pad",
    "--index-url https://py|pi.o|rg/simple",
    "comes in a later| iss|ue",
    "see iss|ue #1|2",
    "written by a sub|ag|ent",
    "Co-Auth|ored|-By: somebody",
    "AI-gen|era|ted",
    "this round| of w|ork",
    "as the| bri|ef says",
]


@pytest.mark.parametrize("said", _SAID)
def test_foreign_mention_is_found(said: str) -> None:
    assert _faults(said.replace("|", ""))


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1/work",
        "{'$ref': '#/root/children'}",
        "the framework/root of all",
        "inspector/root/",
        "a capture of issues in a tracker",
        "an issuer of tokens: issuers 2",
        "the role 'assistant' in a prompt",
        "file:///home/ada/notes.txt",
        "working in a worker",
        "Homepage on pypi.org/project/mcp-inspect",
    ],
)
def test_allowed_text_has_no_fault(text: str) -> None:
    assert not _faults(text)
