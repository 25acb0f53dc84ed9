"""The environment of a server: its variables, their origins, and mistakes."""

from pathlib import Path

import pytest

from inspector.config.environment import MINIMAL, Environment, build_environment, can_run_code
from inspector.errors import UsageError

OURS = {"HOME": "/srv/ann", "PATH": "/bin", "TERM": "xterm", "API_KEY": "s3cret", "LANG": "C"}


def _build(*set_: str, file: Path | None = None, inherit_all: bool = False) -> Environment:
    return build_environment(OURS, inherit_all=inherit_all, set_=set_, env_file=file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a test writes its --env-file."""
    return tmp_path / ".env"


def test_a_server_inherits_the_short_list_and_no_keys() -> None:
    built = _build()
    assert built.values == {"HOME": "/srv/ann", "PATH": "/bin", "TERM": "xterm"}
    assert set(built.origins.values()) == {"minimal set"}
    assert set(built.values) <= set(MINIMAL)


def test_environment_inherits_all_on_request() -> None:
    built = _build(inherit_all=True)
    assert built.values == OURS
    assert built.origins["API_KEY"] == "inherited"


def test_given_variables_are_those_chosen_for_the_server() -> None:
    assert _build("API_KEY", "DEPTH=3", inherit_all=True).given == {"API_KEY": "s3cret", "DEPTH": "3"}


def test_functions_of_the_shell_are_not_inherited() -> None:
    ours = {"PATH": "() { evil; }", "F": "() { :; }", "TERM": "xterm"}
    assert build_environment(ours, inherit_all=False).values == {"TERM": "xterm"}
    assert build_environment(ours, inherit_all=True).values == {"TERM": "xterm"}


def test_a_variable_is_set_or_copied_and_the_later_one_wins() -> None:
    built = _build("API_KEY", "A=1=2", "B=", "A=3", "PATH=/opt")
    assert built.values["API_KEY"] == "s3cret"
    assert built.values["A"] == "3"
    assert built.values["B"] == ""
    assert built.values["PATH"] == "/opt"
    assert built.origins["PATH"] == "-e"
    assert built.origins["TERM"] == "minimal set"


def test_the_file_wins_over_what_is_inherited_and_loses_to_options(file: Path) -> None:
    file.write_text("# keys\nexport A=1\nB='two words'\nTERM=dumb\nAPI_KEY\n\n", encoding="utf-8-sig")
    built = _build("A=9", file=file)
    assert {name: built.values[name] for name in ("A", "B", "TERM", "API_KEY")} == {
        "A": "9",
        "B": "two words",
        "TERM": "dumb",
        "API_KEY": "s3cret",
    }
    assert built.origins["A"] == "-e"
    assert built.origins["B"] == built.origins["TERM"] == "--env-file"


def test_environment_expands_nothing(file: Path) -> None:
    file.write_text("URL=https://${HOST}/\nPRICE=$5\n")
    built = _build("TOKEN=${env:TOKEN}", file=file)
    assert (built.values["URL"], built.values["TOKEN"]) == ("https://${HOST}/", "${env:TOKEN}")


def test_a_variable_that_is_not_there_cannot_be_copied(file: Path) -> None:
    with pytest.raises(UsageError, match="-e NOPE: the variable has no value") as caught:
        _build("NOPE")
    assert "KEY=VALUE" in caught.value.hint
    file.write_text("A=1\nNOPE\n")
    with pytest.raises(UsageError, match=r"\.env, line 2: the variable has no value"):
        _build(file=file)


@pytest.mark.parametrize("option", ["=value", " A=1", "", "A=b\0c"])
def test_a_name_is_needed(option: str) -> None:
    with pytest.raises(UsageError, match="needs a name"):
        _build(option)


def test_a_line_of_the_file_that_is_no_assignment_is_named(file: Path) -> None:
    file.write_text("A=1\nwhat is this?\n")
    with pytest.raises(UsageError, match=r"line 2: this is not KEY=VALUE"):
        _build(file=file)


@pytest.mark.parametrize(
    "line", ['TOKEN="s3cr3t', "s3cr3t", "export TOKEN s3cr3t", "TOKEN='s3cr3t\nx", "TOK EN=s3cr3t"]
)
def test_no_error_about_the_file_quotes_what_may_be_a_token(file: Path, line: str) -> None:
    file.write_text(f"A=1\n{line}\n")
    with pytest.raises(UsageError, match="line 2") as refused:
        _build(file=file)
    assert "s3cr3t" not in f"{refused.value} {refused.value.hint}"


def test_unreadable_environment_file_is_refused(file: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        _build(file=file)
    file.write_bytes(b"A=\xff\xfe\n")
    with pytest.raises(UsageError, match="is not UTF-8"):
        _build(file=file)


@pytest.mark.parametrize("name", ["LD_PRELOAD", "npm_config_node_options", "RESTIC_PASSWORD_COMMAND", "SUDO_ASKPASS"])
def test_can_run_code_knows_variables_by_name(name: str) -> None:
    assert can_run_code(name)
    assert not can_run_code("API_TOKEN")
