"""Descriptions of HTTP results and login steps."""

import pytest

from inspector.auth.steps import (
    Client,
    HttpFetch,
    HttpFetched,
    LoginFailed,
    LoginStep,
    StepVerdict,
    StoredLogin,
    broken,
    described,
    step_from,
)
from tests.auth.scripted import World, answer, page


@pytest.mark.parametrize(
    ("fetched", "words"),
    [
        (HttpFetched("", why="refused"), "no response: refused"),
        (page(), "200 with text/html, which is not JSON"),
        (page(404), "404 with text/html"),
        (HttpFetched("", 500), "500 with no content type"),
        (
            answer({"message": "Redirect URI must use HTTPS"}, 400),
            "400 with application/json, “Redirect URI must use HTTPS”",
        ),
        (
            HttpFetched("", 302, (("Location", "https://x.example"),)),
            "302, a redirect to 'https://x.example', which was not followed",
        ),
    ],
)
def test_fetched_document_is_described_in_few_words(fetched: HttpFetched, words: str) -> None:
    assert described(fetched) == words


def test_a_body_that_is_no_json_has_no_value() -> None:
    assert [each.value for each in (page(), HttpFetched(""), HttpFetched("", body=b"\xff"), answer([1]))] == [
        None,
        None,
        None,
        [1],
    ]
    assert HttpFetched("", body=b"[" * 100_000).value is None


def test_broken_step_is_recorded_and_ends_the_flow() -> None:
    world, login_step = World(), LoginStep("client", StepVerdict.BROKEN, "there is none", fix="give one")
    with pytest.raises(LoginFailed) as failed:
        world.play(broken(login_step))
    assert world.login_steps == [login_step]
    assert (str(failed.value), failed.value.hint) == ("client: there is none", "give one")


def test_the_rung_of_a_request_names_it() -> None:
    login_step = step_from(
        HttpFetch("x", "https://x.example", "POST"), HttpFetched("https://x.example", 201), StepVerdict.GOOD, "made"
    )
    assert (login_step.request, login_step.status) == ("POST https://x.example", 201)


def test_a_client_is_kept_for_its_own_issuer_alone() -> None:
    known = StoredLogin().with_client("https://a.example", Client("a")).with_client("https://b.example", Client("b"))
    assert {issuer: each.client_id for issuer, each in known.clients.items()} == {
        "https://a.example": "a",
        "https://b.example": "b",
    }
    assert set(known.with_client("https://a.example", None).clients) == {"https://b.example"}
