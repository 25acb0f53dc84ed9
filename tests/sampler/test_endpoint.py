"""Asking an endpoint: what it is sent, and every way in which it gives no answer."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from inspector.errors import AuthorizationNeeded, ConnectError, InspectError, RequestFailed, RequestTimeout
from inspector.sampler.choice import Key, ModelChoice
from inspector.sampler.endpoint import ChatModel
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Listener
from tests.servers.model import KEY, Endpoint, as_json, completion, endpoint
from tests.waiting import until

PARAMS = {"messages": [{"role": "user", "content": {"type": "text", "text": "Why?"}}], "maxTokens": 10}


@pytest.fixture
async def there() -> AsyncIterator[Endpoint]:
    async with endpoint() as made:
        yield made


def asking(there: Endpoint, *, patience_s: float = 30, path: str = "") -> ChatModel:
    return ChatModel(ModelChoice(there.url + path, "tide", Key(KEY), patience_s=patience_s))


@pytest.mark.parametrize("path", ["", "/", "/chat/completions"])
async def test_the_key_goes_in_one_header_and_the_request_to_the_place_of_completions(
    there: Endpoint, path: str
) -> None:
    said = await asking(there, path=path).answer(PARAMS)
    assert said.result.value["content"]["text"] == "Rivers."
    assert there.paths == ["/v1/chat/completions"]
    assert there.headers[0]["authorization"] == f"Bearer {KEY}"
    assert there.asked == [{"model": "tide", "max_tokens": 10, "messages": [{"role": "user", "content": "Why?"}]}]


async def test_a_limit_by_the_newer_name_is_tried_where_the_endpoint_asks_for_it(there: Endpoint) -> None:
    refusal = {"error": {"message": "Unsupported parameter: use 'max_completion_tokens' instead."}}
    there.answer = lambda body: as_json(completion()) if "max_completion_tokens" in body else as_json(refusal, 400)
    await asking(there).answer(PARAMS)
    assert [body.get("max_completion_tokens") for body in there.asked] == [None, 10]


@pytest.mark.parametrize("status", [401, 403])
async def test_refused_key_is_reported_without_the_key(there: Endpoint, status: int) -> None:
    there.answer = lambda body: as_json({"error": {"message": f"Incorrect API key: {KEY}"}}, status)
    with pytest.raises(AuthorizationNeeded, match=f"HTTP {status}: Incorrect API key: ") as caught:
        await asking(there).answer(PARAMS)
    assert KEY not in str(caught.value)
    assert "--sampler-key-env" in caught.value.hint


async def test_too_many_requests_say_when_to_try_again(there: Endpoint) -> None:
    there.answer = lambda body: as_json({"error": {"message": "Slow down"}}, 429, ("Retry-After", "20"))
    with pytest.raises(RequestFailed, match="HTTP 429: Slow down") as caught:
        await asking(there).answer(PARAMS)
    assert "20 s" in caught.value.hint


async def test_a_web_page_is_quoted_and_the_address_doubted(there: Endpoint) -> None:
    there.answer = lambda body: HttpResponse(200, (("Content-Type", "text/html"),), b"<!doctype html><h1>Hello")
    with pytest.raises(RequestFailed, match="text/html, which is not JSON: <!doctype html>") as caught:
        await asking(there).answer(PARAMS)
    assert "--sampler-url" in caught.value.hint


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (HttpResponse(404, (), b"no such page"), "HTTP 404: no such page"),
        (
            HttpResponse(302, (("Location", "http://elsewhere.example/"),), b""),
            "HTTP 302, to http://elsewhere.example/",
        ),
        (HttpResponse(500, (), b""), "HTTP 500: nothing else"),
        (HttpResponse(200, (), b""), "no content type, which is not JSON: an empty body"),
        (HttpResponse(200, (), b"[" * 100_000), "which is not JSON"),
        (as_json({"error": "model not found"}, 400), "HTTP 400: model not found"),
        (as_json({"choices": []}), "other than a chat completion"),
    ],
)
async def test_other_failures_say_what_came(there: Endpoint, response: HttpResponse, told: str) -> None:
    there.answer = lambda body: response
    with pytest.raises(RequestFailed) as caught:
        await asking(there).answer(PARAMS)
    assert told in str(caught.value)


async def test_one_that_never_answers_is_left_in_time(there: Endpoint) -> None:
    there.hold = asyncio.Event()
    for patience_s in (0.05, 1, 20):  # a busy machine may not send the request in time
        with pytest.raises(RequestTimeout, match=rf"tide at 127\.0\.0\.1:\d+\) did not respond within {patience_s} s"):
            await asking(there, patience_s=patience_s).answer(PARAMS)
        if there.asked:
            break
    await until(lambda: there.gone == len(there.asked) == 1, "the endpoint sees that nobody waits")


async def test_disconnected_endpoint_is_reported(there: Endpoint) -> None:
    async def hang_up(request: HttpRequest) -> HttpResponse:
        raise HangUp

    async with Listener(hang_up) as listener:
        with pytest.raises(InspectError, match="gave no HTTP response"):
            await ChatModel(ModelChoice(f"{listener.url}/v1", "tide")).answer(PARAMS)


async def test_unreachable_endpoint_is_a_connect_error() -> None:
    async with Listener(Endpoint().handle) as listener:
        url = listener.url
    with pytest.raises(ConnectError):
        await ChatModel(ModelChoice(url, "tide")).answer(PARAMS)


async def test_an_answer_without_end_is_left(there: Endpoint) -> None:
    there.answer = lambda body: HttpResponse(200, (), b"x" * (17 * 1024 * 1024))
    with pytest.raises(RequestFailed, match="longer than"):
        await asking(there).answer(PARAMS)
