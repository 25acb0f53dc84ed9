"""What the child got, and what the shell has that it did not get: by name, and what it misses first."""

from pathlib import Path

from inspector.config.environment import Environment
from inspector.viewmodels.environment_gap import environment_gap, executable_facts, with_surroundings
from inspector.viewmodels.post_mortem import post_mortem
from tests.viewmodels.tape import Tape

SHELL = {"PATH": "/mine", "API_TOKEN": "x", "ZEBRA": "1", "OPENAI_KEY": "s3cr3t", "ACME": "1", "SHLVL": "2"}


def _facts(tape: Tape, **more: object) -> dict[str, str]:
    section = environment_gap(tape.journal, **({"origins": {}, "shell": {}} | more))  # type: ignore[arg-type]
    return {fact.key: fact.value for fact in section.facts}


def test_what_the_shell_has_more_is_named_with_what_it_misses_first(tape: Tape) -> None:
    tape.started()
    tape.stderr(b"Error: ZEBRA is not set")
    facts = _facts(
        tape,
        shell=SHELL,
        values={"PATH": "/usr/bin", "API_TOKEN": "x"},
        origins={"API_TOKEN": "-e", "PATH": "minimal set"},
    )
    assert facts == {
        "got": "PATH, API_TOKEN",
        "given": "API_TOKEN",
        "not passed": "of your shell's: ZEBRA, OPENAI_KEY, ACME",
        "other value": "PATH",
    }
    assert "s3cr3t" not in repr(facts)


def test_many_are_counted(tape: Tape) -> None:
    tape.started()
    assert _facts(tape, shell={f"V{at:02}": "" for at in range(20)})["not passed"].endswith("V07 and 12 more")


def test_of_a_recording_nobody_knows_the_shell(tape: Tape, http_tape: Tape) -> None:
    tape.started()
    assert _facts(tape) == {"got": "PATH, API_TOKEN"}
    http_tape.connected("https://example.test")
    assert _facts(http_tape) == {}


def test_a_link_is_followed_where_it_was_run(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    link = str(tmp_path / "link")
    assert [fact.value for fact in executable_facts([link, "x"], is_here=True)] == [f"{link} → {tmp_path / 'real'}"]
    assert [fact.value for fact in executable_facts([link], is_here=False)] == [link]
    assert executable_facts([], is_here=True) == []


def test_the_card_tells_it_behind_how_the_child_was_started(tape: Tape, http_tape: Tape) -> None:
    tape.started().died()
    card = with_surroundings(post_mortem(tape.journal), tape.journal, Environment({}, {}), SHELL)
    assert [section.title for section in card.sections] == ["How it was started", "Environment"]
    assert [fact.key for fact in card.sections[0].facts] == ["executable", "command", "directory", "pid"]
    plain = post_mortem(http_tape.journal)
    assert with_surroundings(plain, http_tape.journal, None, SHELL) is plain
