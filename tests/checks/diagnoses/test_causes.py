"""The words of a program about its own end."""

import pytest

from inspector.checks.diagnoses.causes import known_cause, telling_line


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            ("Error: Failed to start server", "", "Caused by:", "    expect initialized request"),
            "Error: Failed to start server: expect initialized request",
        ),
        (
            ("INFO starting", "Error: cannot read", "", "Caused by:", "    0: open config", "    1: no such file"),
            "Error: cannot read: no such file",
        ),
        (("Error: cannot read", "Caused by:", "nothing is indented"), "Error: cannot read"),
        (("Caused by:", "    nothing before"), "nothing before"),
        (
            ("error: required arguments were not provided:", "  --url <URL>", "", "Usage: a --url <URL>"),
            "error: required arguments were not provided: --url <URL>",
        ),
    ],
)
def test_innermost_cause_follows_the_error(lines: tuple[str, ...], told: str) -> None:
    newest = [(n, line) for n, line in enumerate(lines, 1)][::-1]
    found = telling_line(newest)
    assert found is not None
    assert found[1] == told


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (("'C:\\Program' is not recognized as an internal or external command,", "operable program."), "C:\\Program"),
        (("'npx' is not recognized as an internal or external command,", "operable program."), "program npx"),
        (("uvx : The term 'uvx' is not recognized as the name of a cmdlet, function, script file,",), "program uvx"),
        (("WARN 'frobnicate' is not recognized as a setting",), None),
    ],
)
def test_program_that_windows_did_not_find_is_named(lines: tuple[str, ...], named: str | None) -> None:
    found = known_cause([(n, line) for n, line in enumerate(lines, 1)][::-1])
    assert (found is None) if named is None else (found is not None and named in found[1])
