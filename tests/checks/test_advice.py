"""Advice fits the transport: on stdio there is none about HTTP, and over HTTP none about the process."""

import re
from collections.abc import Iterator

import pytest
from msgspec import structs

from inspector.checks import catalog
from inspector.checks.findings import Finding
from inspector.checks.registry import CHECKS
from inspector.protocol.facts import ConnectionFact
from tests.checks.both import tables
from tests.checks.talks import Talk

_OF_HTTP = re.compile(
    r"\b(?:HTTP(?!S?_PROXY)|URL of the MCP endpoint|POST|GET|Origin|Host header|status \d{3}|endpoint event)\b"
)
_OF_STDIO = re.compile(r"\b(?:stdin|stdout|stderr|flush\w*|subcommand|exit code|--cwd)\b")

_MEANT = {
    "stdin-not-read (stdio): the server says that it listens at https://host/key, and responds to nothing on stdin →"
    " If it serves HTTP, connect to its URL, or start it with its option for stdio. If it was still starting, raise"
    " --timeout.",
    "mirrored-header-unusable (stdio): a: r: x-mcp-header needs a string, an integer or a boolean → Correct it before"
    " the server is used over HTTP, where clients must ignore such a tool.",
}
"""What is about HTTP although the server was started as a command."""


def _talks() -> Iterator[tuple[str, Talk]]:
    for module, cases in tables():
        for id_, scripts in cases.items():
            for script in scripts:
                yield f"{module} {id_}", script()


def _over_http(talk: Talk) -> Talk:
    """Say that the same messages crossed HTTP."""
    first = talk.entries[0].what
    if isinstance(first, ConnectionFact) and first.transport == "stdio":
        talk.entries[0] = structs.replace(
            talk.entries[0], what=structs.replace(first, transport="http", url="http://host/mcp")
        )
    return talk


def _faults(finding: Finding, transport: str) -> list[str]:
    foreign = _OF_HTTP if transport == "stdio" else _OF_STDIO
    said = re.sub(r"“[^”]*”|'[^']*'", "", f"{finding.sentence} → {finding.fix}")
    return [f"{finding.id} ({transport}): {said}"] if foreign.search(said) else []


def test_no_finding_speaks_of_another_transport() -> None:
    faults, seen = [], set()
    for _, talk in _talks():
        for finding in talk.findings():
            seen.add((finding.id, talk.transport))
            faults += _faults(finding, "stdio" if talk.transport == "stdio" else "http")
    assert len(seen) > 200
    assert not sorted(set(faults) - _MEANT)


def test_no_finding_about_messages_speaks_of_the_process_over_http() -> None:
    faults = []
    for _, talk in _talks():
        found = [each for each in _over_http(talk).findings() if each.id != "stderr-flood"]
        faults += [each for each in found if catalog.area_of(CHECKS[each.id]) not in ("Process", "stdio")]
    assert len(faults) > 300
    assert not sorted({said for each in faults for said in _faults(each, "http")})


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_words_of_the_other_transport_are_found(transport: str) -> None:
    said = "Check the URL of the MCP endpoint." if transport == "stdio" else "It wrote to stdout."
    assert _faults(Finding("x", catalog.all_checks()[0].severity, catalog.all_checks()[0].confidence, said), transport)
