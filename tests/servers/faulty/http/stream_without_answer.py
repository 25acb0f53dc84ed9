"""The list of tools comes as a stream, and the stream ends before it."""
# expects: stream-ended-early
# exit: 4
# url: /mcp

from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import stream

answer = legacy(tools_list=lambda request: stream(b": working\n\n"))
