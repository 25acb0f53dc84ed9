"""Saved calls: variables, environments, files that use each other, values of results, secrets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents import read_yaml
from inspector.errors import UsageError
from inspector.features.cases import collection, file, model, reading
from inspector.features.cases.collection import Collection, collections_near, environments, open_collection, planned
from inspector.features.cases.file import with_cases, written
from inspector.features.cases.making import case_of
from inspector.features.cases.model import CaseDefinition, escaped
from inspector.features.cases.reading import read_cases, read_environment
from inspector.features.cases.values import Values, secret_from
from inspector.forms.validate import validate
from inspector.protocol.credentials import MASK
from tests.architecture.sources import ROOT

_HEAD = "mcp-inspect-cases: 1\n"
_SCHEMA = json.loads((ROOT / "docs/cases.schema.json").read_text())


def _call(name: str, more: str = "", arguments: str = "{}") -> str:
    return f"  - {{name: {name}, request: tools/call, params: {{name: t, arguments: {arguments}}}{more}}}\n"


def _values(path: Path, environment: str = "", **environ: str) -> tuple[Values, tuple[CaseDefinition, ...]]:
    collection = open_collection(path, environment)
    plan = planned(collection, collection.cases.cases)
    values = Values(collection, secret_from(environ))
    values.prepare(plan)
    return values, tuple(each.case for each in plan)


def _write(directory: Path, **texts: str) -> Path:
    """Files of cases by their stems; the first one's path."""
    for stem, text in texts.items():
        (directory / f"{stem}.mcp.yaml").write_text(_HEAD + text)
    return directory / f"{next(iter(texts))}.mcp.yaml"


def _fault(path: Path, environment: str = "", **environ: str) -> str:
    with pytest.raises(UsageError) as raised:
        _values(path, environment, **environ)
    return f"{raised.value} → {raised.value.hint}"


def test_a_variable_keeps_its_type_as_the_whole_value_and_is_text_inside_a_text(tmp_path: Path) -> None:
    arguments = (
        '{n: "{{n}}", o: "{{o}}", s: "{{n}} of {{ s }}, {{no}}", raw: "\\\\{{n}} {{#if}}", deep: [{x: "{{s}}"}]}'
    )
    path = _write(
        tmp_path, a="vars: {n: 5, o: {k: [true]}, s: '{{n}}th', no: null}\ncases:\n" + _call("a", arguments=arguments)
    )
    values, (case,) = _values(path)
    assert values.resolved(case).params["arguments"] == {
        "n": 5,
        "o": {"k": [True]},
        "s": "5 of 5th, null",
        "raw": "{{n}} {{#if}}",
        "deep": [{"x": "5th"}],
    }


def test_values_come_from_results_then_the_environment_then_the_file_then_what_it_uses(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        a="uses: [b.mcp.yaml]\nvars: {two: a, three: a, four: a}\ncases:\n"
        + _call("a", ", uses: [first]", '{v: "{{one}}{{two}}{{three}}{{four}}"}'),
        b="vars: {one: b, two: b, three: b, four: b}\ncases:\n" + _call("first", ", save: {four: $.v}"),
    )
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "dev.yaml").write_text("target: http://127.0.0.1:1/mcp\nvars: {three: e, four: e}\n")
    values, (first, case) = _values(path, "dev")
    assert values.resolved(case).params["arguments"] == {"v": "baee"}
    assert values.save(first, {"result": {"v": 7}}) == ()
    assert values.resolved(case).params["arguments"] == {"v": "bae7"}
    assert open_collection(path, "dev").target == "http://127.0.0.1:1/mcp"
    assert environments(path) == ("dev",)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", {"a": [{"b-c": 1}, 2], "t": '{"id": [7]}', "odd key": None}),
        *[("$.a[0].b-c", 1), ("$.a[-1]", 2), ("$['a'][0]['b-c']", 1), ('$["odd key"]', None), ("$.t.id[0]", 7)],
    ],
)
def test_a_path_finds_its_value_in_a_result(tmp_path: Path, path: str, value: object) -> None:
    cases = f"cases:\n  - name: a\n    request: ping\n    save:\n      v: {path!r}\n"
    values, (case,) = _values(_write(tmp_path, a=cases))
    assert values.save(case, {"result": {"a": [{"b-c": 1}, 2], "t": '{"id": [7]}', "odd key": None}}) == ()
    assert values.known("v") == value


@pytest.mark.parametrize("path", ["$.b", "$.a[2]", "$.a[-3]", "$.a.x", "$.t.id", "$.t[0]", "$[0]"])
def test_a_value_that_is_not_in_the_result_is_a_failure_and_has_no_value_afterwards(tmp_path: Path, path: str) -> None:
    values, (case, user) = _values(
        _write(tmp_path, a="cases:\n" + _call("a", f", save: {{v: '{path}'}}") + _call("b", "", '{v: "{{v}}"}'))
    )
    assert values.save(case, {"result": {"a": [1, 2], "t": "[no"}}) == (f"save v: {path} is not in the result",)
    with pytest.raises(UsageError, match="has no value: the case that saves it did not pass"):
        values.resolved(user)


def test_values_returned_by_a_server_are_not_expanded(tmp_path: Path) -> None:
    text = "vars: {secret: '${env:S}'}\ncases:\n" + _call("a", ", save: {v: $.v}") + _call("b", "", '{v: "<{{v}}>"}')
    values, (case, user) = _values(_write(tmp_path, a=text), S="12345")
    values.save(case, {"result": {"v": "{{secret}} ${env:S}"}})
    assert values.resolved(user).params["arguments"] == {"v": "<{{secret}} ${env:S}>"}


def test_calls_run_after_those_that_they_use_and_none_runs_twice(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        a="uses: [b.mcp.yaml]\ncases:\n"
        + _call("last", ", uses: [middle, far]")
        + _call("middle", ", uses: [first]")
        + _call("first")
        + _call("other"),
        b="cases:\n" + _call("far", ", uses: [far first]") + _call("far first"),
    )
    collection = open_collection(path)
    plan = planned(collection, collection.cases.cases[:1])
    assert [each.case.name for each in plan] == ["first", "middle", "far first", "far", "last"]
    assert [each.case.name for each in plan if each.chosen] == ["last"]
    assert [each.case.name for each in planned(collection, collection.cases.cases)][-1] == "other"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "vars: {city: x}\ncases:\n" + _call("a", "", '{c: "{{cty}}"}'),
            "line 4: unknown variable 'cty' → Did you mean 'city'?",
        ),
        ("cases:\n" + _call("a", "", '{c: "{{x}}"}'), "line 3: unknown variable 'x' → Define it in `vars`."),
        ("vars: {a: '{{b}}', b: '{{a}}'}\ncases:\n" + _call("a", "", '{c: "{{a}}"}'), "in a cycle: a → b → a"),
        ("vars: {a: '{{q}}'}\ncases:\n" + _call("a", "", '{c: "{{a}}"}'), "line 2: unknown variable 'q'"),
        (
            "cases:\n" + _call("a", ", uses: [b]") + _call("b", ", uses: [a]"),
            "line 3: cases use each other in a cycle: a → b → a",
        ),
        ("cases:\n" + _call("a", ", uses: [a]"), "in a cycle: a → a"),
        ("cases:\n" + _call("make") + _call("a", ", uses: [mak]"), "line 4: case 'a' uses 'mak', which is not a case"),
        (
            "cases:\n" + _call("a", "", '{c: "{{id}}"}') + _call("make", ", save: {id: $.id}"),
            "{{id}} has no value when 'a' runs: 'make' saves it → Add `uses: [make]` to 'a'",
        ),
        ("uses: [a.mcp.yaml]\n", "files use each other in a cycle: a.mcp.yaml → a.mcp.yaml"),
        ("uses: [none.mcp.yaml]\n", "line 2: uses none.mcp.yaml: no such file"),
        ("uses: x\n", "line 2: uses is a list"),
        ("vars: [x]\n", "line 2: vars is an object"),
        ("vars: {a b: 1}\n", "line 2: vars: 'a b' is no name of a variable"),
        ("vars: {a: 1, a: 2}\n", "line 2: duplicate variable 'a' in vars"),
        (
            "vars: {o: {}}\ncases:\n" + _call("a", "", '{c: "<{{o}}>"}'),
            "line 4: wrong type: {{o}} is an object inside a text",
        ),
        (
            "cases:\n" + _call("a", "", "{c: {{o}}}"),
            "line 3: the name of a member is a text → A variable is written between quotes",
        ),
        ("cases:\n" + _call("a", ", save: {v: id}"), "line 3: save v: 'id' is not a path"),
        ("cases:\n" + _call("a", ", save: {v: $.a.}"), "line 3: save v: '$.a.' is not a path"),
        ("cases:\n" + _call("a", ", save: {v: 5}"), "line 3: save v is a text"),
        ("cases:\n" + _call("a", ", sav: {}"), "line 3: unknown key 'sav' in a case → Did you mean 'save'?"),
        ("target: node server.js\n", "line 2: target: 'node server.js' is neither a URL nor the name of a server"),
        (
            "vars: {s: '${env:NO_S}'}\ncases:\n" + _call("a", "", '{c: "{{s}}"}'),
            "line 2: the environment variable NO_S is not set",
        ),
    ],
)
def test_invalid_collection_is_an_error_with_line_and_advice(tmp_path: Path, text: str, said: str) -> None:
    assert said in _fault(_write(tmp_path, a=text))


def test_a_missing_environment_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    path = _write(tmp_path, a="cases: []\n")
    assert "there is no environment 'dev' → Write " in _fault(path, "dev")
    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "prod.yaml").write_text("vars: {}\n")
    assert "there is no environment 'dev' → There are: prod." in _fault(path, "dev")
    assert "there is no environment 'prd' → Did you mean 'prod'?" in _fault(path, "prd")
    assert "there is no environment '../env/prod'" in _fault(path, "../env/prod")
    (tmp_path / "env" / "prod.yaml").write_text("vars: {}\nheaders: {}\n")
    assert "prod.yaml, line 2: unknown key 'headers' in an environment" in _fault(path, "prod")


def test_secret_variable_is_sent_and_masked(tmp_path: Path) -> None:
    text = "vars: {s: '${env:S}', other: '${env:NO}'}\ncases:\n" + _call("a", "", '{h: "Bearer {{s}}", e: "${env:S}"}')
    values, (case,) = _values(_write(tmp_path, a=text), S="hunter22")
    assert values.resolved(case).params["arguments"] == {"h": "Bearer hunter22", "e": "hunter22"}
    assert values.masked({"a": ["x hunter22 y"], "hunter22": 1}) == {"a": [f"x {MASK} y"], MASK: 1}
    assert values.secrets == ("hunter22",)


def test_the_files_of_a_project_are_found_from_a_directory_below_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = _write(tmp_path, a="cases: []\n")
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    assert collections_near(below) == (path,)
    (tmp_path / "src" / ".git").mkdir()
    assert collections_near(below) == ()


@given(
    st.recursive(
        st.text(max_size=12) | st.sampled_from(["{{a}}", "\\{{a}}", "${env:A}", "{{a"]) | st.integers(), st.lists
    )
)
def test_a_case_made_of_a_request_sends_the_same_again(value: Any) -> None:
    case = case_of("ping", {"v": value})
    assert Values(Collection(Path(), read_cases(_HEAD, "f")), lambda *_: None).resolved(case).params == {"v": value}
    assert not [*model.references(json.dumps(escaped("{{a}} ${env:B}")))]


def test_saved_and_used_names_survive_rewriting() -> None:
    text = _HEAD + "cases:\n" + _call("a", ", uses: [b], save: {v: $.x}")
    (case,) = read_cases(text, "f").cases
    assert written(case).count("uses") == written(case).count("save") == 1
    for again in (_HEAD + "cases:\n" + written(case), with_cases(_HEAD + "cases: []\n", [case], "f")):
        (read,) = read_cases(again, "f").cases
        assert (read.uses, [(each.name, each.path) for each in read.save]) == (("b",), [("v", "$.x")])


# The JSON Schema in the documentation


def _properties(name: str) -> list[str]:
    return [*_SCHEMA["$defs"][name]["properties"]]


def test_the_schema_has_the_keys_that_the_reader_has() -> None:
    assert _properties("File") == [*reading.FILE_MEMBERS]
    assert _properties("Case") == [*reading.CASE_MEMBERS]
    assert _properties("Environment") == [*reading.ENVIRONMENT_MEMBERS]
    assert _properties("Expectation") == ["at", *(kind.value for kind in model.ExpectationKind)]
    assert _SCHEMA["$defs"]["Type"]["enum"] == [*reading.TYPES]


@pytest.mark.parametrize("page", ["saved-calls.md", "testing.md"])
def test_the_examples_of_the_documentation_are_read_and_valid(page: str) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    blocks = [block for block in blocks if "mcp-inspect-cases" in block or "beside the file" in block]
    assert blocks
    for block in blocks:
        verdict = validate(_SCHEMA, read_yaml(block))
        assert verdict.ok, verdict.problems
        if "mcp-inspect-cases" in block:
            assert read_cases(block, page).cases
        else:
            assert read_environment(block, "dev", page).variables


@pytest.mark.parametrize(
    "text",
    [
        *["case: []", "cases: 5", "vars: [x]", "vars: {a b: 1}", "target: a b", "uses: x", "cases: [{name: a}]"],
        *[
            f"cases: [{{name: a, request: b, {more}}}]"
            for more in (
                *("sav: {}", "save: {v: id}", "save: {v: 5}", "save: {v: $.}", "uses: x", "isolate: 5", "params: [1]"),
                *("expect: [{}]", "expect: [{type: text}]", "expect: [{type: []}]", "expect: [{exists: 1}]"),
                *("expect: [{faster: 0}]", "expect: [{schema: input}]", "expect: [{at: x, equals: 1}]"),
            )
        ],
    ],
)
def test_cases_schema_refuses_what_the_reader_refuses(text: str) -> None:
    with pytest.raises(UsageError):
        read_cases(_HEAD + text, "f")
    assert validate(_SCHEMA, read_yaml(_HEAD + text)).ok is False


# Editing files of saved calls


_STYLES = (
    """\
cases:
  # first
  - name: a
    request: ping

  # second
  - {name: 'b', request: ping, uses: [a]}
  - name: >-
      c
    request: ping
    uses:
      - a # why
""",
    "cases: [{name: a, request: ping}, {name: b, request: ping, uses: [a]}, {name: c, request: ping, uses: [a]}]\n",
    """\
cases:
-
  name: a
  request: ping
- {name: b, uses: ['a'], request: ping}
- uses: [a]
  request: ping
  name: c""",
)


def _names(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.name, each.uses) for each in file.open_cases(path).cases]


@pytest.mark.parametrize("text", _STYLES)
def test_calls_are_renamed_duplicated_and_deleted_whatever_their_style(tmp_path: Path, text: str) -> None:
    path = _write(tmp_path, a=text)
    collection.rename_call(path, "a", "the: first")
    assert _names(path) == [("the: first", ()), ("b", ("the: first",)), ("c", ("the: first",))]
    with pytest.raises(UsageError, match="there is another case named 'b'"):
        collection.rename_call(path, "c", "b")
    with pytest.raises(UsageError, match="'b' uses 'the: first'"):
        collection.delete_call(path, "the: first")
    collection.duplicate_call(path, "c")
    assert _names(path)[3:] == [("c (2)", ("the: first",))]
    for name in ("b", "c (2)", "c"):
        collection.delete_call(path, name)
    assert _names(path) == [("the: first", ())]
    assert ("# first" in path.read_text()) == ("# first" in text)
    collection.delete_call(path, "the: first")
    assert _names(path) == []
    collection.save_call(path, "new", "ping", {})
    assert _names(path) == [("new", ())]
    with pytest.raises(UsageError, match="no call is named 'gone' any more"):
        collection.delete_call(path, "gone")


def test_a_saved_call_holds_no_credential_and_keeps_what_is_a_variable(tmp_path: Path) -> None:
    path = tmp_path / "calls.mcp.yaml"
    arguments = {"apiKey": "sk-1", "deep": [{"password": "pw1"}], "token": "{{mine}}", "id": "{{id}}", "maxTokens": 5}
    secrets = collection.save_call(path, "a", "tools/call", {"name": "t", "arguments": arguments, "_meta": {"x": 1}})
    assert secrets == ("API_KEY", "PASSWORD")
    (case,) = file.open_cases(path).cases
    assert case.params == {
        "name": "t",
        "arguments": {
            "apiKey": "${env:API_KEY}",
            "deep": [{"password": "${env:PASSWORD}"}],
            "token": "{{mine}}",
            "id": "{{id}}",
            "maxTokens": 5,
        },
    }
    assert collection.save_call(path, "a", "ping", {}) == ()
    assert [name for name, _ in _names(path)] == ["a", "a (2)"]


def test_the_calls_of_a_project_are_listed_and_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = _write(tmp_path, a="cases:\n" + _call("one") + _call("two"), b="oops: 1\n")
    found = collection.saved_calls((path, tmp_path / "b.mcp.yaml"))
    assert [each.case.name for each in found if each.case is not None] == ["one", "two"]
    assert "b.mcp.yaml, line 2: unknown key 'oops'" in found[-1].fault


def test_a_form_is_filled_with_what_is_known_and_the_rest_is_named(tmp_path: Path) -> None:
    text = "vars: {n: 5, s: '${env:S}'}\ncases:\n" + _call(
        "a", "", '{n: "{{n}}", s: "{{s}}", t: "<{{n}}>", id: "{{id}}"}'
    )
    (case,) = file.open_cases(_write(tmp_path, a=text)).cases
    values = Values(open_collection(tmp_path / "a.mcp.yaml"), lambda source, name: None)
    filled, left = values.filled(case.params)
    assert filled["arguments"] == {"n": 5, "s": "{{s}}", "t": "<5>", "id": "{{id}}"}
    assert left == ("{{s}}", "{{id}}")
