"""Names of persons go, and names that name nobody stay."""

import pytest

from inspector.capture.sharing.known import Known
from inspector.capture.sharing.persons import Persons
from inspector.capture.sharing.pseudonyms import Pseudonyms
from inspector.capture.sharing.replacing import Replacing

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
    replacing = Replacing(Pseudonyms(b"key"), Known(), learns=False)
    assert Persons(replacing, users=["anna", "root"], homes=["/data/people/anna", "/"]).replace(text) == copy
