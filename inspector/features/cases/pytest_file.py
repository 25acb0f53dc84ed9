"""Writes test cases as a plain pytest file."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.features.cases.judging import expects_failure
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind

_HEAD = '''"""What the server must answer. Run it with pytest; it needs mcp-inspect."""

from collections.abc import Iterator

import pytest

from inspector.features.cases.server import ServerUnderTest

TARGET = {target}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerUnderTest]:
    with ServerUnderTest(*TARGET) as server:
        yield server
'''


def pytest_file(cases: Sequence[CaseDefinition], target: Sequence[str]) -> str:
    """The file's text. `target` is the server's command, or its URL alone."""
    taken: set[str] = set()
    tests = ("\n".join(_test(case, _name(case.name, taken))) for case in cases)
    return _HEAD.format(target=ascii(list(target))) + "".join(f"\n\n{test}\n" for test in tests)


def _test(case: CaseDefinition, name: str) -> Iterator[str]:
    alone = case.isolate
    indent = "        " if alone else "    "
    yield f"def {name}({'' if alone else 'server: ServerUnderTest'}) -> None:"
    if alone:
        yield "    with ServerUnderTest(*TARGET) as server:"
    answers = f", answers={_code(list(case.answers))}" if case.answers else ""
    yield f"{indent}reply = server.request({case.request!a}, {_code(case.params)}{answers})"
    checks = [line for each in case.expect for line in _check(each)]
    if not expects_failure(case):
        checks.insert(0, "assert not reply.error")
    yield from (indent + line for line in checks)


def _check(expectation: Expectation) -> Iterator[str]:
    at, value = ascii(expectation.at), _code(expectation.value)
    match expectation.kind:
        case ExpectationKind.EQUALS:
            alone = expectation.value is None or isinstance(expectation.value, bool)
            yield f"assert reply.at({at}) {'is' if alone else '=='} {value}"
        case ExpectationKind.TYPE:
            yield f"assert reply.problems({at}, {{'type': {value}}}) == []"
        case ExpectationKind.EXISTS:
            yield f"assert {'' if expectation.value else 'not '}reply.has({at})"
        case ExpectationKind.MATCHES:
            yield f"assert reply.matches({at}, {value})"
        case ExpectationKind.SCHEMA:
            schema = "reply.output_schema" if expectation.value == OUTPUT_SCHEMA else value
            yield f"assert reply.problems({at}, {schema}) == []"
        case ExpectationKind.FASTER:
            yield f"assert reply.ms < {value}"
        case ExpectationKind.SNAPSHOT:
            yield f"assert reply.differences({at}, {value}) == []"


def _code(value: Any) -> str:
    """A value as Python has it; a number without an end has no name there."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!a}: {_code(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_code, value)) + "]"
    return ascii(value).replace("inf", "1e999") if isinstance(value, float) else ascii(value)


def _name(text: str, taken: set[str]) -> str:
    """A name for a function, of letters that every editor shows."""
    stem = "test_" + (re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:80] or "case")
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    taken.add(name)
    return name
