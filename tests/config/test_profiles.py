"""Profiles of clients: the known ones agree with the compatibility facts, and a wrong file is refused by name."""

from pathlib import Path

import pytest

from inspector.checks.compat.packs import known_hosts
from inspector.config.profiles import ClientProfile, client_profile, known_profiles, profile_text, read_profile
from inspector.errors import UsageError
from inspector.protocol.revisions.table import find

HOSTS = known_hosts()

KNOWN = known_profiles()


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_client_has_sources_for_what_it_states(name: str) -> None:
    profile = client_profile(name)
    members = {"client", "protocol_version"} | {
        each for each in ("environment", "variables", "opening", "timeouts") if each in profile_text(profile)
    }
    stated = set(profile.sources) | {" ".join(profile.unknown)}
    assert not {each for each in members if not any(each in named for named in stated)}
    assert all(each.url.startswith("https://") for each in profile.sources.values())
    assert find(profile.protocol_version) is not None
    assert profile.dated != profile.name


@pytest.mark.parametrize("name", KNOWN)
def test_profile_agrees_with_the_compatibility_facts(name: str) -> None:
    profile, host = client_profile(name), HOSTS[name]
    features = {each.name: each.has for each in host.features}
    declared = {*profile.capabilities}
    for feature in ("roots", "sampling", "elicitation"):
        if feature in features:
            assert (feature in declared) == features[feature], feature
    tools = [each for each in profile.opening or () if each.method == "tools/list"]
    if tools and "pages" in features:
        assert (tools[0].pages == "all") == features["pages"]
    for limit in host.limits:
        seconds = {"start": profile.timeouts.start, "call": profile.timeouts.request}.get(limit.name)
        assert seconds is None or f"{seconds:g} s" in limit.sentence


def test_a_profile_is_written_as_it_is_read(tmp_path: Path) -> None:
    for name in KNOWN:
        profile = client_profile(name)
        (tmp_path / "it.yaml").write_text(profile_text(profile, ["a comment"]))
        assert read_profile(tmp_path / "it.yaml") == profile


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: X", "missing required field `client`"),
        ("name: X\nclient: {name: x}\ncapabilities: {}\nera: old", "era"),
        ("name: X\nclient: {name: x}\ncapabilities: {}\ncolour: red", "colour"),
        ("name: X\nclient: {name: x}\ncapabilities: []", "capabilities"),
        ("name: X\nclient: {name: x}\ncapabilities: {}\nopening: [{method: tools/call}]", "'tools/call'"),
        ("a: [", "line 1"),
        ("\x00", "it.yaml"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "it.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"it\.yaml") as caught:
        client_profile(str(file))
    assert said in str(caught.value)


def test_an_unknown_client_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        client_profile("netscape")
    assert "claude-code, codex, cursor, gemini-cli, vscode" in caught.value.hint


def test_variables_are_inherited_as_the_client_lets_them() -> None:
    base = {"HOME": "/h", "PATH": "/p", "API_TOKEN": "s", "LANG": "C", "EDITOR": "vi"}
    assert "LANG" in client_profile("codex").inherited(base)
    assert "EDITOR" not in client_profile("codex").inherited(base)
    assert {*client_profile("gemini").inherited(base)} == {"HOME", "PATH", "LANG", "EDITOR"}
    assert client_profile("claude-code").set_for("/w") == {"CLAUDE_PROJECT_DIR": "/w"}


def test_an_empty_elicitation_capability_is_the_form_mode() -> None:
    assert ClientProfile("x", {}, {"elicitation": {}}).offers == {"elicitation.form"}
    assert ClientProfile("x", {}, {"elicitation": {"url": {}}}).offers == {"elicitation.url"}
