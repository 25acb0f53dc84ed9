"""A cache in between answers every POST with what it once heard: the id is that of another request."""
# expects: response-on-wrong-post
# exit: 4
# url: /mcp

from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import json_answer

answer = legacy(tools_list=lambda request: json_answer(b'{"jsonrpc":"2.0","id":900,"result":{"tools":[]}}'))
