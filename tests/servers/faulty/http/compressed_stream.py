"""A middleware compresses every response, streams too: what is meant for now comes when a block is full."""
# expects: stream-compressed
# exit: 0
# url: /mcp

import gzip

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import STREAM
from tests.servers.streams import answer_to, event


def _compressed(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        200, (*STREAM, ("Content-Encoding", "gzip")), gzip.compress(event(answer_to(request, {"tools": [TOOL]})))
    )


answer = legacy(tools_list=_compressed)
