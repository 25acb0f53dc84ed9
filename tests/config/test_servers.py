"""Servers in client config files: JSON with comments, shapes of clients, and errors with their place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.servers import FoundServer, found_servers, parse, read_servers
from inspector.errors import UsageError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}),
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ('["// no comment", "/* nor */ this", ",]"]', ["// no comment", "/* nor */ this", ",]"]),
        ('["a\\"// still", 1,]', ['a"// still', 1]),
        ("[1, // last\n]", [1]),
        ('\ufeff{"a": "http://h"}', {"a": "http://h"}),
    ],
)
def test_parse_accepts_json_with_comments(text: str, value: object) -> None:
    assert parse(text, "f") == value


@given(_JSON)
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert parse(json.dumps(value), "f") == value
    assert parse(json.dumps(value, indent=1, ensure_ascii=False), "f") == value


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1\n  // why\n  "b": 2}', "f:3:3"),
        ("/* not closed", "f:1:14"),
        ('{"a": "not closed\n}', "f:1:18"),
        ("", "f:1:1"),
        ("[1,:]", "f:1:4"),
    ],
)
def test_an_error_names_line_and_column_of_the_original(text: str, place: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text, "f")
    assert str(refused.value).startswith(f"{place}: ")


def test_parse_refuses_deep_nesting() -> None:
    with pytest.raises(UsageError, match="nested too deeply"):
        parse("[" * 100_000, "f")


_SHAPES = {
    ".cursor/mcp.json": '{"mcpServers": {"s": {"command": "run", "args": ["-y", 1], "env": {"K": "v"}}}}',
    ".config/Code/User/mcp.json": '{"inputs": [], "servers": {"s": {"command": "run", "args": ["-y", "1"],},}} // c',
    ".config/zed/settings.json": '{"context_servers": {"s": {"command": {"path": "run", "args": ["-y", "1"]}}}}',
    ".codex/config.toml": '[mcp_servers.s]\ncommand = "run"\nargs = ["-y", "1"]\nenv = { K = "v" }\n',
}


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize("path", _SHAPES)
def test_every_shape_of_file_is_read(path: str, home: Path, tmp_path: Path) -> None:
    file = _write(home / path, _SHAPES[path])
    (server,) = found_servers({"HOME": str(home)}, tmp_path)
    assert (server.name, server.path, server.argv, server.problem) == ("s", file, ("run", "-y", "1"), "")
    assert server.env_names in ((), ("K",))


def _one(tmp_path: Path, entry: str) -> FoundServer:
    file = _write(tmp_path / "mcp.json", '{"mcpServers": {"s": ' + entry + "}}")
    (server,) = read_servers("Some host", file, tmp_path)
    return server


def test_folders_are_filled_in_and_variables_of_the_environment_kept(tmp_path: Path) -> None:
    entry = '{"command": "${workspaceFolder}/run", "args": ["${env:K}", "${userHome}"], "cwd": "${workspaceFolder}"}'
    server = _one(tmp_path, entry)
    assert server.argv == (f"{tmp_path}/run", "${env:K}", str(Path.home()))
    assert server.cwd == str(tmp_path)


def test_variables_of_the_file_that_an_entry_names_are_set_and_its_own_count_more(tmp_path: Path) -> None:
    _write(tmp_path / "dev.env", "# of the team\nA=1\nexport B='two words'\n")
    entry = '{"command": "x", "envFile": "${workspaceFolder}/dev.env", "env": {"A": "mine", "C": "3"}}'
    assert dict(_one(tmp_path, entry).env) == {"A": "mine", "B": "two words", "C": "3"}


@pytest.mark.parametrize(
    ("file", "problem"), [("none.env", "is not a file"), ("bad.env", "line 2: this is not KEY=VALUE")]
)
def test_a_file_of_variables_that_cannot_be_read_is_the_problem_of_its_entry(
    file: str, problem: str, tmp_path: Path
) -> None:
    _write(tmp_path / "bad.env", "A=1\nno 'pair\n")
    assert problem in _one(tmp_path, f'{{"command": "x", "envFile": "{file}"}}').problem


@pytest.mark.parametrize("key", ["url", "serverUrl", "httpUrl"])
def test_a_url_is_found_under_each_of_its_names(key: str, tmp_path: Path) -> None:
    server = _one(tmp_path, f'{{"{key}": "https://h/mcp", "headers": {{"A": "secret"}}}}')
    assert (server.url, server.argv, server.headers) == ("https://h/mcp", (), (("A", "secret"),))


def test_repr_of_a_server_hides_secrets(tmp_path: Path) -> None:
    server = _one(tmp_path, '{"command": "x", "env": {"K": "hush"}, "cwd": "/there"}')
    assert server.env == (("K", "hush"),)
    assert "hush" not in repr(server)
    assert server.cwd == "/there"


@pytest.mark.parametrize("entry", ['{"disabled": true, "command": "x"}', '{"enabled": false, "command": "x"}'])
def test_disabled_entry_is_marked(entry: str, tmp_path: Path) -> None:
    assert _one(tmp_path, entry).disabled


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("7", "the entry is not an object"),
        ("{}", "it has neither a command nor a URL"),
        (
            '{"command": "x", "args": ["a\\ud800"]}',
            "a text in `command` has the character U+D800, which cannot be used there",
        ),
        (
            '{"command": "x", "env": {"K": "\\u0000"}}',
            "a text in `env` has the character U+0000, which cannot be used there",
        ),
        (
            '{"url": "http://h", "headers": {"A": "b\\ud800"}}',
            "a text in `headers` has the character U+D800, which cannot be used there",
        ),
        (
            '{"url": "http://h", "headers": {"A": "b\\r"}}',
            "a text in `headers` has the character U+000D, which cannot be used there",
        ),
        ('{"command": 7, "url": null}', "it has neither a command nor a URL"),
    ],
)
def test_broken_entry_has_its_problem(entry: str, problem: str, tmp_path: Path) -> None:
    assert _one(tmp_path, entry).problem == problem


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.json", b'{"mcpServers":\n nonsense}', "a.json:2:2: "),
        ("a.toml", b"a = = b", "a.toml: "),
        ("a.json", b"\xff\xfe", "a.json: no UTF-8 at byte 0"),
    ],
)
def test_a_broken_file_is_one_entry(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    (server,) = read_servers("h", tmp_path / name, tmp_path)
    assert problem in server.problem
    assert server.name == ""


@pytest.mark.parametrize("content", ["[]", "7", "{}", '{"mcpServers": []}', '{"mcp": 1, "projects": []}'])
def test_a_file_without_servers_has_none(content: str, tmp_path: Path) -> None:
    assert list(read_servers("h", _write(tmp_path / "a.json", content), tmp_path)) == []


def test_servers_of_a_project_are_found_where_the_project_is(home: Path, tmp_path: Path) -> None:
    here = f'{{"{tmp_path}": {{"mcpServers": {{"mine": {{"command": "x"}}}}}}}}'
    _write(home / ".claude.json", f'{{"mcpServers": {{"all": {{"command": "y"}}}}, "projects": {here}}}')
    env = {"HOME": str(home)}
    assert [server.name for server in found_servers(env, tmp_path)] == ["all", "mine"]
    assert [server.name for server in found_servers(env, home)] == ["all"]


def test_codex_home_is_respected(home: Path, tmp_path: Path) -> None:
    _write(tmp_path / "codex/config.toml", '[mcp_servers.s]\nurl = "https://h"\n')
    (server,) = found_servers({"HOME": str(home), "CODEX_HOME": str(tmp_path / "codex")}, tmp_path)
    assert (server.host, server.url) == ("Codex", "https://h")


def test_a_file_is_read_once_though_two_places_name_it(home: Path) -> None:
    _write(home / ".cursor/mcp.json", '{"mcpServers": {"s": {"command": "x"}}}')
    assert len(found_servers({"HOME": str(home)}, home)) == 1


def test_without_a_home_only_this_directory_is_looked_at(tmp_path: Path) -> None:
    _write(tmp_path / ".mcp.json", '{"mcpServers": {"s": {"command": "x"}}}')
    assert [server.host for server in found_servers({}, tmp_path)] == ["Claude Code"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (".mcp.json", '{"mcpServers": {"s": {"timeout": ' + "1" * 5000 + "}}}", "an integer has too many digits"),
        (".mcp.json", "[" * 100_000, "nested too deeply"),
        (".codex/config.toml", "a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (".codex/config.toml", "a = " + "1" * 5000, "an integer has too many digits"),
    ],
)
def test_a_hostile_file_of_a_project_is_one_entry(name: str, text: str, problem: str, tmp_path: Path) -> None:
    file = _write(tmp_path / name, text)
    (server,) = found_servers({}, tmp_path)
    assert server.problem == f"{file}: {problem}"


def test_a_home_that_cannot_be_looked_into_has_no_servers(tmp_path: Path) -> None:
    assert found_servers({"HOME": "/" + "a" * 300}, tmp_path) == ()
