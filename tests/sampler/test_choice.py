"""A key can be sent and is not seen."""

from inspector.sampler.choice import Key, ModelChoice


def test_a_key_is_sent_in_one_header_and_shown_nowhere() -> None:
    choice = ModelChoice("http://127.0.0.1:1/v1", "m", Key("sk-1"))
    assert choice.key.header() == {"Authorization": "Bearer sk-1"}
    assert "sk-1" not in f"{choice!r} {choice.key}"


def test_a_key_is_cut_out_of_what_quotes_it() -> None:
    assert Key("sk-1").hidden_in("wrong key: sk-1.") == "wrong key: [key]."


def test_without_a_key_there_is_no_header() -> None:
    assert Key("").header() == {}
    assert Key("").hidden_in("as it was") == "as it was"
    assert not Key("")
