"""Prose is searched for pairs, tokens, URLs and what is encoded in it."""

import pytest

from inspector.capture.sharing.known import Known, as_bytes
from inspector.capture.sharing.persons import Persons
from inspector.capture.sharing.prose import Prose
from inspector.capture.sharing.pseudonyms import Pseudonyms
from inspector.capture.sharing.replacing import Replacing

P = Pseudonyms(b"key").text("hunter22")


def prose() -> Prose:
    replacing = Replacing(Pseudonyms(b"key"), Known(), learns=False)
    return Prose(replacing, Persons(replacing, users=(), homes=()))


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("secret => hunter22", f"secret => {P}"),
        ("--password=hunter22", f"--password={P}"),
        ("error: log: apiKey:hunter22", f"error: log: apiKey:{P}"),
        ("token: 1", "token: 1"),
        ("the password hunter22", "the password hunter22"),
        ("Bearer hunter22", f"Bearer {P}"),
        ("redis://:hunter22@cache:6379", f"redis://:{P}@cache:6379"),
        ("Authorization: ApiKey hunter22", f"Authorization: ApiKey {P}"),
        ("authorization: token hunter22, next", f"authorization: token {P}, next"),
        ("pw=hunter22", f"pw={P}"),
    ],
)
def test_pairs_in_prose(text: str, copy: str) -> None:
    assert prose().replace(text, lambda held: held) == copy


def test_many_pairs_cost_their_length() -> None:
    prose().replace("token a=b: " * 20_000 + "key" * 50_000 + ":" * 50_000, lambda held: held)


def test_what_is_encoded_is_opened_if_it_may_be() -> None:
    text = "cGFzc3dvcmQ9aHVudGVyMjI= and a%20b"
    seen: list[str] = []

    def opened(held: str) -> str:
        seen.append(held)
        return held.upper()

    found = prose()
    assert found.replace(text, None) == text
    assert found.replace(text, opened) == "UEFTU1dPUkQ9SFVOVEVSMjI= and A%20B"
    assert seen == ["a b", "password=hunter22"]


def test_a_text_of_bytes_goes_back_to_them() -> None:
    assert as_bytes("a\udcff") == b"a\xff"
    assert as_bytes("\ud800") == b"\xed\xa0\x80"
