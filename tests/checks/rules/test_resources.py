"""Resources, prompts and completions."""

import pytest

from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked, ids, told

_A = {"uri": "a:b", "name": "b"}
_RESOURCE = {"type": "resource", "resource": {"uri": "a:b", "text": ""}}


def _prompt(**more: object) -> object:
    resource = {"uri": "a:b", "text": ""} | more
    return {"messages": [{"role": "user", "content": {"type": "resource", "resource": resource}}]}


def _values(count: int) -> object:
    return {"completion": {"values": ["a"] * count}}


def _read_failed(code: int, words: str, row: int = 4) -> Script:
    return lambda: Talk(row).ask("resources/read", {"uri": "a:b"}).error(code, words)


def _read_as(kind: str, text: str = "äb", size: int = 3) -> Script:
    """A resource that was listed as plain text of three bytes, and read."""
    content = {"uri": "a:b", "mimeType": kind, "text": text}
    listed = {"resources": [_A | {"mimeType": "text/plain", "size": size}]}
    read = {"contents": [content]}
    return lambda: Talk().ask("resources/list").answer(listed).ask("resources/read", {"uri": "a:b"}).answer(read)


def _listed_and_not_read(uri: str, words: str = "down") -> Script:
    listed = {"resources": [_A]}
    return lambda: Talk().ask("resources/list").answer(listed).ask("resources/read", {"uri": uri}).error(0, words)


CASES: Cases = {
    "duplicate-resource-uri": (
        asked("resources/list", {"resources": [_A, _A]}),
        asked("resources/list", {"resources": [_A, _A | {"uri": "a:c"}]}),
    ),
    "resource-contents-invalid": (
        asked("resources/read", {"contents": [{"uri": "a:b", "text": "", "blob": ""}]}),
        asked("resources/read", {"contents": [{"uri": "a:b", "text": ""}]}),
    ),
    "resource-contents-empty": (
        asked("resources/read", {"contents": []}),
        asked("resources/read", {"contents": [{"uri": "a:b", "blob": ""}]}),
    ),
    "unsubscribed-resource-update": (
        told("notifications/resources/updated", {"uri": "a:b"}),
        lambda: (
            Talk()
            .ask("resources/subscribe", {"uri": "a:b"})
            .answer({})
            .tell("notifications/resources/updated", {"uri": "a:b/part"})
        ),
    ),
    "listed-resource-unreadable": (_listed_and_not_read("a:b"), _listed_and_not_read("a:c")),
    "resource-not-found-code": (
        _read_failed(-32603, "Resource not found: a:b"),
        _read_failed(-32002, "Resource not found: a:b"),
    ),
    "resource-differs-from-list": (_read_as("text/html"), _read_as("text/plain; charset=utf-8")),
    "prompt-resource-without-type": (
        asked("prompts/get", _prompt()),
        asked("prompts/get", _prompt(mimeType="text/plain")),
    ),
    "completion-invalid": (asked("completion/complete", _values(101)), asked("completion/complete", _values(100))),
}


@pytest.mark.parametrize(
    ("id_", "script", "found"),
    [
        ("resource-not-found-code", _read_failed(-32603, "database is down"), False),
        ("resource-not-found-code", _read_failed(-32601, "Method not found"), False),
        ("resource-not-found-code", _read_failed(-32602, "no such resource"), True),
        ("resource-not-found-code", _read_failed(-32602, "no such resource", 5), False),
        ("resource-not-found-code", _read_failed(-32603, "no such resource", 5), True),
        ("resource-differs-from-list", _read_as("text/plain", "abcd"), True),
        ("resource-differs-from-list", _read_as("text/plain", "abc"), False),
    ],
)
def test_codes_and_sizes_are_judged_by_what_is_known(id_: str, script: Script, *, found: bool) -> None:
    assert (id_ in ids(script())) is found


@pytest.mark.parametrize(
    ("words", "severity"),
    [("'Text' object has no attribute 'content'", "warning"), ("set API_KEY first", "hint"), ("no network", "hint")],
)
def test_listed_resource_that_fails_in_the_program_is_a_warning(words: str, severity: str) -> None:
    (found,) = of_one(_listed_and_not_read("a:b", words)().findings(), "listed-resource-unreadable")
    assert found.severity == severity
