"""Names that identify persons are removed, and generic names are kept."""

import base64
from pathlib import Path

import pytest

from inspector.features.share.known import KnownSecrets, Pseudonyms, Replacing, as_bytes
from inspector.features.share.prose import PersonNames, Prose

NAME = Pseudonyms(b"key").text("anna")


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("/home/anna/x", f"/home/{NAME}/x"),
        ("C:\\Users\\anna\\x", f"C:\\Users\\{NAME}\\x"),
        ("/data/people/anna and /data/people/annabel", f"/data/people/{NAME} and /data/people/annabel"),
        ("anna, joanna and ANNA_anna", f"{NAME}, joanna and ANNA_{NAME}"),
        ("/home/user/x /home/runner/y", "/home/user/x /home/runner/y"),
    ],
)
def test_names_are_replaced(text: str, copy: str) -> None:
    replacing = Replacing(Pseudonyms(b"key"), KnownSecrets(), learns=False)
    assert PersonNames(replacing, users=["anna", "root"], homes=["/data/people/anna", "/"]).replace(text) == copy


P = Pseudonyms(b"key").text("hunter22")


def prose() -> Prose:
    replacing = Replacing(Pseudonyms(b"key"), KnownSecrets(), learns=False)
    return Prose(replacing, PersonNames(replacing, users=(), homes=()))


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
        ("curl -u :hunter22 https://h/", f"curl -u :{P} https://h/"),
        ("curl -sSu :hunter22 https://h/", f"curl -sSu :{P} https://h/"),
        ("curl --user ':hunter22' h", f"curl --user ':{P}' h"),
        ("curl --proxy-user=:hunter22 h", f"curl --proxy-user=:{P} h"),
        ("curl -u 1000:1000 h", "curl -u 1000:1000 h"),
        ("docker run -u root:wheel x", "docker run -u root:wheel x"),
        ("<password>hunter22</password>", f"<password>{P}</password>"),
        ("<ns:ApiKey a='b'> hunter22 </ns:ApiKey>", f"<ns:ApiKey a='b'> {P} </ns:ApiKey>"),
        ("<title>hunter22</title>", "<title>hunter22</title>"),
        ('<add name="ApiKey" value="hunter22"/>', f'<add name="ApiKey" value="{P}"/>'),
        ('<add name="Color" value="hunter22"/>', '<add name="Color" value="hunter22"/>'),
    ],
)
def test_pairs_in_prose(text: str, copy: str) -> None:
    assert prose().replace(text, lambda held: held) == copy


def test_both_parts_of_curl_credentials_and_of_userinfo_up_to_the_last_at_sign_are_replaced() -> None:
    for text in (
        "curl -u anna:hunter22 h",
        "http://anna@corp:hunter22@h/",
        "http://anna:p@hunter22@h/",
        "//x http://a@hunter22@h",
    ):
        copy = prose().replace(text, lambda held: held)
        assert not any(part in copy for part in ("anna", "hunter22", "corp", "p@")), copy
        assert copy.endswith(text[-1])


def test_many_pairs_cost_their_length() -> None:
    prose().replace("token a=b: " * 20_000 + "key" * 50_000 + ":" * 50_000, lambda held: held)


def test_encoded_prose_is_opened_and_replaced() -> None:
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


@pytest.mark.parametrize("text", Path(__file__).with_name("prose.txt").read_text("utf-8").splitlines())
def test_prose_about_secrets_is_unchanged(text: str) -> None:
    assert prose().replace(text, lambda held: held) == text


def test_certificates_and_public_keys_stay() -> None:
    """They begin with other elements of DER than private keys do."""
    for head in ("308203a03082028aa003020102021400", "30820122300d06092a864886f70d010101050003", "3082010a0282010100"):
        text = base64.b64encode(bytes.fromhex(head) + bytes(range(256)) * 2).decode()
        assert prose().replace(text, None) == text
