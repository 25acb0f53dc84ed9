"""Our exceptions: a sentence, and what to do next."""

import pytest

from inspector import errors


def test_an_error_is_its_sentence_and_may_have_a_hint() -> None:
    error = errors.ConnectError("nobody answers", hint="start it")
    assert (str(error), error.hint) == ("nobody answers", "start it")
    assert errors.ConnectError("nobody answers").hint == ""


@pytest.mark.parametrize("kind", [kind for kind in vars(errors).values() if isinstance(kind, type)])
def test_every_one_of_them_can_be_caught_as_one(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.InspectError)


def test_authorization_needed_is_a_connect_error() -> None:
    assert issubclass(errors.AuthorizationNeeded, errors.ConnectError)
