"""Client of an OpenAI-compatible endpoint: one POST per response, over httpx.

This exchange is not MCP traffic and not in the journal. The key is sent in one header only, and removed from any
text of the endpoint.
"""

import asyncio
from typing import Any

import httpx
import msgspec

from inspector.errors import AuthorizationNeeded, RequestFailed, RequestTimeout
from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode
from inspector.sampler.chat import ChatRequest, ModelReply, chat_request, reply_in
from inspector.sampler.choice import ModelChoice
from inspector.transports.http.client import make_client, proxy_of
from inspector.transports.http.reply import broken, unreachable

_CONNECT_S = 10.0
_MOST = 16 * 1024 * 1024
"""Maximum size of a response in bytes."""
_QUOTED = 300
_PLACE = "/chat/completions"
_WANTED = "--sampler-url wants the base of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1."


class _HttpResponse(msgspec.Struct, frozen=True):
    status: int
    content_type: str
    headers: dict[str, str]
    body: bytes

    @property
    def error_message(self) -> str:
        """Return the message of an error response: from its JSON, otherwise the beginning of the body."""
        value = peek.decoded(self.body)
        error = peek.at(value, "error")
        message = peek.text(error, "message") or (error if isinstance(error, str) else None)
        return message or peek.text(value, "message") or self.body.decode("utf-8", "replace").strip()


class ChatModel:
    """Answers sampling requests."""

    def __init__(self, choice: ModelChoice) -> None:
        self._choice = choice
        base = choice.url.rstrip("/")
        self._url = httpx.URL(base if base.endswith(_PLACE) else base + _PLACE)
        self.label = f"{choice.model} at {self._url.netloc.decode('ascii')}"
        """Model and endpoint for display."""

    async def answer(self, params: Any) -> ModelReply:
        """Return the model's reply to the params of `sampling/createMessage`.

        Raises: AuthorizationNeeded, ConnectError, RequestFailed, RequestTimeout, UsageError; no message contains the
        key.
        """
        request = chat_request(params, self._choice.model)
        try:
            async with asyncio.timeout(self._choice.patience_s):
                response = await self._post(request.body)
                if response.status == 400 and "max_completion_tokens" in response.error_message:
                    response = await self._post(_renamed(request.body))  # newer models have another name for the limit
        except TimeoutError:
            raise RequestTimeout(
                f"the model ({self.label}) did not respond within {self._choice.patience_s:g} s",
                hint="Give it longer with --sampler-timeout.",
            ) from None
        return self._read(response, request)

    async def _post(self, body: dict[str, Any]) -> _HttpResponse:
        headers = {"Content-Type": "application/json", "Accept": "application/json"} | self._choice.key.header()
        client = make_client(self._url, cacert=None, insecure=False, connect_timeout=_CONNECT_S, trust_env=True)
        began = False
        try:
            async with client, client.stream("POST", self._url, content=encode(body), headers=headers) as response:
                began = True
                return await _whole(response)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            if not began:
                raise unreachable(error, self._url, _CONNECT_S, proxy_of(self._url, trust_env=True)) from None
            raise RequestFailed(f"the model's response was interrupted: {broken(error)}") from None

    def _read(self, response: _HttpResponse, request: ChatRequest) -> ModelReply:
        hide = self._choice.key.hidden_in
        excerpt = hide(response.error_message)[:_QUOTED]
        where = f"the model's endpoint answered HTTP {response.status}"
        if response.status in (401, 403):
            hint = "Is its key in the environment variable that --sampler-key-env names?"
            raise AuthorizationNeeded(f"{where}: {excerpt}", hint=hint)
        if response.status == 429:
            after = response.headers.get("retry-after")
            raise RequestFailed(f"{where}: {excerpt}", hint=f"Try again{f' in {after} s' if after else ' later'}.")
        if response.status != 200:
            location = hide(response.headers.get("location", ""))[:_QUOTED]
            moved = f", to {location}" if location else ""
            raise RequestFailed(
                f"{where}{moved}: {excerpt or 'nothing else'}", hint=_WANTED if response.status < 500 else ""
            )
        completion = peek.decoded(response.body)
        if completion is None:
            kind = response.content_type or "no content type"
            raise RequestFailed(f"{where} with {kind}, which is not JSON: {excerpt or 'an empty body'}", hint=_WANTED)
        return reply_in(completion, request)


async def _whole(response: httpx.Response) -> _HttpResponse:
    pieces: list[bytes] = []
    size = 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise RequestFailed(f"the model's response is longer than {_MOST:,} bytes")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return _HttpResponse(response.status_code, headers.get("content-type", ""), headers, b"".join(pieces))


def _renamed(body: dict[str, Any]) -> dict[str, Any]:
    return {"max_completion_tokens" if name == "max_tokens" else name: value for name, value in body.items()}
