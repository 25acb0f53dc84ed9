"""The words of a program about its own end."""

import pytest

from inspector.checks.diagnoses.causes import known_cause, place_of, telling_line


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
        (
            ("  │ │ 158 │   raise │ │", "  │ ╰──────╯ │", "  │ ConnectError: Name │", "  │ not known │", "  ╰────╯"),
            "ConnectError: Name not known",
        ),
        (
            ("Usage: a [OPTIONS]", "╭─ Error ──────────────╮", "│ Missing option '-w'. │", "╰──────────────────────╯"),
            "Missing option '-w'.",
        ),
        (
            ("[ERROR:a] No valid token found", "[ERROR:a] Recommended actions:", "[ERROR:a] 1. Run a init to log in"),
            "[ERROR:a] No valid token found",
        ),
    ],
)
def test_innermost_cause_follows_the_error(lines: tuple[str, ...], told: str) -> None:
    newest = [(n, line) for n, line in enumerate(lines, 1)][::-1]
    found = telling_line(newest)
    assert found is not None
    assert found[1] == told


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            (
                "TypeError: Invalid URL",
                "    at new URL (node:internal/url:816:29) {",
                "  code: 'ERR_INVALID_URL',",
                "  input: ''",
            ),
            "TypeError: Invalid URL (input: '')",
        ),
        (
            ("Error: getaddrinfo ENOTFOUND db", "    at a.js:1 {", "  hostname: 'db',", "}"),
            "Error: getaddrinfo ENOTFOUND db",
        ),
        (
            ("Caused by: a.b.BeanException: no bean", "Caused by: a.IOException: no host"),
            "Caused by: a.IOException: no host",
        ),
        ((f"Error: a path of {'x' * 300}: it is locked",), "it is locked"),
        ((f"pkg.SchemaError: no schema for {'X' * 90}. Set this to ignore it, or {'y' * 200}.",), f"for {'X' * 90}"),
    ],
)
def test_the_decisive_part_of_an_exception_is_quoted(lines: tuple[str, ...], told: str) -> None:
    found = telling_line([(n, line) for n, line in enumerate(lines, 1)][::-1])
    assert found is not None
    assert found[1].endswith(told)


@pytest.mark.parametrize(
    ("line", "means"),
    [
        (
            'npm error npx canceled due to missing packages and no YES option: ["mcp-hello-world@1.1.2"]',
            "npx asks before it installs mcp-hello-world@1.1.2, and there is no terminal to answer",
        ),
        ("(Caused by NameResolutionError(\"x: Failed to resolve \\'hub.example\\' ([Errno -2]", "the host hub.example"),
        ("ada@build-box: Permission denied (publickey,password).", "accepts none of its keys (publickey,password)"),
        ("/usr/bin/python3: No module named mcp_server_x", "/usr/bin/python3 has no module mcp_server_x"),
        (
            "/usr/bin/python3: No module named acme.__main__; 'acme' is a package and cannot be directly executed",
            "the Python package acme cannot be run with -m",
        ),
        ("# Fatal process OOM in Failed to reserve virtual memory for CodeRange", "can reserve no memory: Failed to"),
        ("bash: line 2: jsonrpc:2.0: command not found", "a shell (bash) takes each message for a command"),
        ("Permission denied (os error 13)", "permission denied"),
        ("Loaded package.json found in /srv", None),
    ],
)
def test_line_of_a_launcher_has_its_meaning(line: str, means: str | None) -> None:
    found = known_cause([(1, line)])
    assert (found is None) if means is None else (found is not None and means in found[1])


def test_record_that_rich_has_wrapped_is_quoted_whole() -> None:
    lines = (
        "                    INFO     Processing request of type            server.py:733",
        " " * 29 + "CallToolRequest",
    )
    found = telling_line([(n, line) for n, line in enumerate(lines, 1)][::-1])
    assert found is not None
    assert found[1] == "INFO     Processing request of type CallToolRequest"


@pytest.mark.parametrize(
    ("lines", "at", "place"),
    [
        (
            (
                "Traceback (most recent call last):",
                '  File "/srv/server.py", line 12, in <module>',
                "    main()",
                '  File "/srv/.venv/lib/python3.12/site-packages/fastmcp/server.py", line 80, in main',
                "ValueError: no such tool",
            ),
            5,
            "server.py, line 12",
        ),
        (
            (
                "Error: no such tool",
                "    at start (/srv/node_modules/sdk/index.js:3:9)",
                "    at main (file:///srv/dist/server.js:40:7)",
                "    at node:internal/main:1:1",
            ),
            1,
            "server.js, line 40",
        ),
        (
            ("file:///srv/server.ts:5", "const a: number = 1;", "      ^", "", "SyntaxError: Missing"),
            5,
            "server.ts, line 5",
        ),
        (
            (
                "Traceback (most recent call last):",
                '  File "/srv/old.py", line 1, in a',
                "ValueError: handled",
                "INFO going on",
                "Traceback (most recent call last):",
                '  File "<frozen runpy>", line 88, in _run_code',
                "ImportError: no module",
            ),
            7,
            "",
        ),
    ],
)
def test_place_of_an_exception_is_in_the_code_of_the_author(lines: tuple[str, ...], at: int, place: str) -> None:
    assert place_of([(n, line) for n, line in enumerate(lines, 1)][::-1], at) == place


def test_surrogate_that_cannot_be_written_is_no_wrong_encoding() -> None:
    line = "UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 7: surrogates not allowed"
    found = known_cause([(1, line)])
    assert found is not None
    assert "half of a surrogate pair (\\ud800)" in found[1]
