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


def _listed_and_denied(uri: str) -> Script:
    words = "Resource not found: NULL"
    return lambda: (
        Talk(4)
        .ask("resources/list")
        .answer({"resources": [_A]})
        .ask("resources/read", {"uri": uri})
        .error(-32603, words)
    )


def _listed_template(template: str) -> Script:
    return asked("resources/templates/list", {"resourceTemplates": [{"uriTemplate": template, "name": "a"}]})


def _demanded(words: str, **given: object) -> Script:
    """A prompt of one optional argument, requested without it."""
    listed, asks = {"prompts": [{"name": "a", "arguments": [{"name": "topic"}]}]}, {"name": "a"} | given
    return lambda: Talk().ask("prompts/list").answer(listed).ask("prompts/get", asks).error(-32602, words)


CASES: Cases = {
    "prompt-argument-unmarked": (_demanded("Missing argument: topic"), _demanded("Missing argument: topics")),
    "prompt-arguments-refused": (
        _demanded(
            "Invalid arguments for prompt a: [ { message: Invalid input: expected object, received undefined } ]"
        ),
        _demanded("Invalid input: expected string, received undefined at topic", arguments={}),
    ),
    "duplicate-resource-uri": (
        asked("resources/list", {"resources": [_A, _A]}),
        asked("resources/list", {"resources": [_A, _A | {"uri": "a:c"}]}),
    ),
    "resource-contents-invalid": (
        asked("resources/read", {"contents": [{"uri": "a:b", "text": "", "blob": ""}]}),
        asked("resources/read", {"contents": [{"uri": "a:b", "text": "", "blob": None}]}),
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
    "uri-template-invalid": (_listed_template("file:///my docs/{name}"), _listed_template("file:///my%20docs/{name}")),
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
        ("resource-not-found-code", _listed_and_denied("a:c"), True),
        ("resource-not-found-code", asked("resources/read", {"isError": True, "content": []}), True),
        ("resource-contents-invalid", asked("resources/read", {"isError": True, "content": []}), False),
        ("resource-not-found-code", _listed_and_denied("a:b"), False),
        ("resource-differs-from-list", _read_as("text/plain", "abcd"), True),
        ("resource-differs-from-list", _read_as("text/plain", "abc"), False),
    ],
)
def test_codes_and_sizes_are_judged_by_what_is_known(id_: str, script: Script, *, found: bool) -> None:
    assert (id_ in ids(script())) is found


@pytest.mark.parametrize(
    ("words", "severity"),
    [
        ("'Text' object has no attribute 'content'", "warning"),
        ("Resource not found: NULL", "warning"),
        ("set API_KEY first", "hint"),
        ("file config.json not found", "hint"),
        ("no network", "hint"),
        ("fetch failed", "hint"),
        ("Expected McpError, got Error: Transport error (GET https://example.com/a.md)", "hint"),
    ],
)
def test_listed_resource_that_fails_in_the_program_or_is_denied_is_a_warning(words: str, severity: str) -> None:
    (found,) = of_one(_listed_and_not_read("a:b", words)().findings(), "listed-resource-unreadable")
    assert found.severity == severity
    assert ("network" in found.fix) is any(each in words for each in ("fetch", "Transport"))


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("file:///a b/{name}", 1),
        ("file:///{name", 0),
        ("file:///name}", 0),
        ("file:///a|b/{name}", 1),
        ("file:///{+path}{?q,lang*}", 0),
        ("docs://café/{name}", 0),
        ("docs://it's/{name:3}", 0),
    ],
)
def test_uri_template_invalid_only_what_no_uri_can_match_is_a_fault(template: str, found: int) -> None:
    assert len(of_one(_listed_template(template)().findings(), "uri-template-invalid")) == found


def test_a_prompt_that_an_old_sdk_refuses_without_arguments_is_a_warning_with_the_version_that_takes_it() -> None:
    (found,) = of_one(CASES["prompt-arguments-refused"][0]().findings(), "prompt-arguments-refused")
    assert (found.severity.name, "1.32.0" in found.fix) == ("WARNING", True)
